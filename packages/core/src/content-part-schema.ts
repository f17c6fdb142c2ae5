import * as z from "zod";

export const textPartSchema = z.looseObject({ type: z.literal("text"), text: z.string() });

export const mediaPartSchema = z
  .looseObject({
    type: z.literal("media"),
    mediaType: z.string({ error: 'expected a media type, e.g. "image/png"' }).min(1),
    data: z.union([z.string(), z.instanceof(Uint8Array)], { error: "expected base64 or bytes" }).optional(),
    url: z.union([z.string(), z.instanceof(URL)], { error: "expected an address" }).optional(),
    fileId: z.string().optional(),
  })
  .refine(({ data, url, fileId }) => data !== undefined || url !== undefined || fileId !== undefined, {
    error: "expected data, url or fileId",
  });
