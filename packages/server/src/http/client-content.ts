import * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";
import { HttpFailure } from "./failure.ts";
import type { Path } from "./request-body.ts";

/** A file that a client names instead of sending its bytes. */
export type ClientFile =
  | {
      readonly kind: "url";
      /**
       * An absolute URL of any scheme. The server has normalized it to `new URL(url).href`. The model provider gets the
       * normalized URL.
       */
      readonly url: string;
      /** The media type that the client claims. */
      readonly mediaType: string;
    }
  | {
      readonly kind: "fileId";
      /** The id that the model provider gave to an uploaded file. */
      readonly fileId: string;
      /** The media type that the client claims. */
      readonly mediaType: string;
    };

/** A part of a message as a client sends it: text or media (an image, sound or file). */
export type ClientPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "media";
      /** An IANA media type, e.g. `image/png`. */
      readonly mediaType: string;
      /** The bytes as base64 or as a `data:` URL. */
      readonly data?: string;
      /** A `data:` URL, or the URL of a file that the server option `clientFiles` allows. */
      readonly url?: string;
      /** The model provider's id of a file that the server option `clientFiles` allows. */
      readonly fileId?: string;
      readonly filename?: string;
    };

/** A file that a request body names, with the path of the field that names it. */
export interface NamedFile {
  readonly path: Path;
  readonly file: ClientFile;
}

/** Matches base64, but not the characters `-` and `_` of base64url. */
// Data with `-` could begin with `file-`: OpenAI's package for the AI SDK would take it for a file's id.
const BASE64 = /^[a-z\d+/=\s]*$/i;

/** Checks whether the text is a `data:` URL. Text after `;base64,` must be base64. */
export function isDataUrl(text: string): boolean {
  const [head, isBase64] = /^data:[^,]*?(;base64)?,/i.exec(text) ?? [];
  // Some model providers accept a URL or a file id after `;base64,` and would use that file.
  return head !== undefined && (isBase64 === undefined || BASE64.test(text.slice(head.length)));
}

/** Returns the normal form (`URL.href`) of an absolute URL, or `undefined` if the text isn't an absolute URL. */
export const normalUrl = (text: string): string | undefined =>
  URL.canParse(text) ? new URL(text).href : undefined;

const urlSchema = z.string().transform((given, context) => {
  if (isDataUrl(given)) return given;
  const url = normalUrl(given);
  if (url !== undefined && !url.startsWith("data:")) return url;
  context.addIssue({ code: "custom", message: "expected an absolute URL or a data: URL" });
  return z.NEVER;
});

// Strict: a model provider's package could pass unknown fields on to its model service.
const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });

const mediaPart = z
  .strictObject({
    type: z.literal("media"),
    mediaType: z.string().min(1),
    data: z
      .string()
      .refine((data) => BASE64.test(data) || isDataUrl(data), { error: "expected base64" })
      .optional(),
    url: urlSchema.optional(),
    fileId: z.string().min(1).optional(),
    filename: z.string().optional(),
  })
  .refine(({ data, url, fileId }) => (data ?? url ?? fileId) !== undefined, {
    error: "expected data, url or fileId",
  });

/** Schema of a `ClientPart`. Refuses fields that a `ClientPart` doesn't have. */
export const clientPart = z
  .discriminatedUnion("type", [textPart, mediaPart], { error: 'expected "text" or "media"' })
  .describe(
    "A text, or media by its bytes. Files by `url` or `fileId` need the server's permission.",
  ) as z.ZodType<ClientPart>; // JSON has no undefined fields.

/** Returns the files that the content names by a URL or by a file id. `data:` URLs are left out. */
export function namedFiles(content: string | readonly ClientPart[] = "", at: Path = []): NamedFile[] {
  if (typeof content === "string") return [];
  return content.flatMap((part, index): NamedFile[] => {
    if (part.type === "text") return [];
    const { url, fileId, mediaType } = part;
    const path = [...at, index];
    const byUrl = url === undefined || isDataUrl(url) ? [] : [{ kind: "url" as const, url, mediaType }];
    const byId = fileId === undefined ? [] : [{ kind: "fileId" as const, fileId, mediaType }];
    return [...byUrl, ...byId].map((file) => ({ path: [...path, file.kind], file }));
  });
}

interface FileRules {
  /** The server option: returns whether the user may send this file to the model. Absent: no file is allowed. */
  readonly clientFiles?: ((file: ClientFile, identity: Identity) => boolean | Promise<boolean>) | undefined;
}

/** Throws an `HttpFailure` if `clientFiles` doesn't allow one of the files. */
export async function checkFiles(
  { clientFiles }: FileRules,
  identity: Identity,
  files: readonly NamedFile[],
): Promise<void> {
  for (const { path, file } of files) {
    if ((await clientFiles?.(file, identity)) !== true) throw refusedFile(path, HOW_TO_ALLOW);
  }
}

const HOW_TO_ALLOW =
  "the server doesn't allow this file; send its bytes, or allow it with the server option clientFiles";

/**
 * Creates the failure for a file that the server refuses. `path`: the field in the request body that names the file.
 */
export const refusedFile = (path: Path, why: string): HttpFailure =>
  new HttpFailure("invalid-request", `Invalid body: ${z.core.toDotPath([...path])}: ${why}.`);
