import * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";
import { HttpFailure } from "./failure.ts";
import type { Path } from "./request-body.ts";

/** A file that a client names instead of sending its bytes. */
export type ClientFile =
  | {
      readonly kind: "url";
      /** An absolute URL of any scheme, as `new URL(url).href` gives it. The model provider gets exactly this text. */
      readonly url: string;
      /** The media type that the client claims. */
      readonly mediaType: string;
    }
  | {
      readonly kind: "fileId";
      /** The id of an uploaded file of the model's provider. */
      readonly fileId: string;
      /** The media type that the client claims. */
      readonly mediaType: string;
    };

/** A part of a message as a client sends it: a text, or an image, sound or file. */
export type ClientPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "media";
      /** An IANA media type, e.g. `image/png`. */
      readonly mediaType: string;
      /** The bytes as base64 or as a `data:` URL. */
      readonly data?: string;
      /** A `data:` URL, or the absolute URL of a file that the server option `clientFiles` allows. */
      readonly url?: string;
      /** The model provider's id of a file that the server option `clientFiles` allows. */
      readonly fileId?: string;
      readonly filename?: string;
    };

/** A file and the path of the field that names it. */
export interface NamedFile {
  readonly path: Path;
  readonly file: ClientFile;
}

/**
 * Matches base64 without the characters `-` and `_` of base64url. With `-`, the data could begin with `file-`, and
 * OpenAI's package for the AI SDK would take it for a file's id.
 */
const BASE64 = /^[a-z\d+/=\s]*$/i;

/**
 * Checks whether the text is a `data:` URL. The text after `;base64,` must be base64. Otherwise, some model packages
 * would take a URL or a file id in this place and use that file.
 */
export function isDataUrl(text: string): boolean {
  const [head, isBase64] = /^data:[^,]*?(;base64)?,/i.exec(text) ?? [];
  return head !== undefined && (isBase64 === undefined || BASE64.test(text.slice(head.length)));
}

/**
 * Returns an absolute URL in its normal form (`URL.href`), which all parsers read in the same way. Returns `undefined`
 * if the text isn't an absolute URL.
 */
export const normalUrl = (text: string): string | undefined =>
  URL.canParse(text) ? new URL(text).href : undefined;

const urlSchema = z.string().transform((given, context) => {
  if (isDataUrl(given)) return given;
  const url = normalUrl(given);
  if (url !== undefined && !url.startsWith("data:")) return url;
  context.addIssue({ code: "custom", message: "expected an absolute URL or a data: URL" });
  return z.NEVER;
});

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

/**
 * Accepts only parts with these types and fields. Other fields are refused, because a model package could take them
 * for fields of its model provider's format.
 */
export const clientPart = z
  .discriminatedUnion("type", [textPart, mediaPart], { error: 'expected "text" or "media"' })
  .describe(
    "A text, or media by its bytes. Files by `url` or `fileId` need the server's permission.",
  ) as z.ZodType<ClientPart>; // JSON has no undefined fields.

/**
 * Returns the files that the content names by a URL or by a file id. `data:` URLs are left out, because they hold the
 * bytes.
 */
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
  /** The option of the same name in `ServerAppOptions`: returns whether the user may send the model this file. */
  readonly clientFiles?: ((file: ClientFile, identity: Identity) => boolean | Promise<boolean>) | undefined;
}

/**
 * Throws an `HttpFailure` that names the first file that `clientFiles` doesn't allow. Without `clientFiles`, no file
 * is allowed.
 */
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
 * Creates the failure for a file that the server refuses. `path`: the field in the body that names the file. `why`: the
 * reason.
 */
export const refusedFile = (path: Path, why: string): HttpFailure =>
  new HttpFailure("invalid-request", `Invalid body: ${z.core.toDotPath([...path])}: ${why}.`);
