import type { ContentPart } from "@jaf/memory";
import { present, utf8Of } from "@jaf/memory/internal";
import { base64Of, fieldsOf, imageUrlOf, textField } from "@jaf/model-http";
import type { AiSdkModel } from "../model.ts";
import type { AiSdkProviderOptions } from "../options.ts";
import type { FilePart, PromptFile, PromptMessage } from "./prompt.ts";

const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*?(;base64)?,/i;

/**
 * Converts a media part into a file of a prompt. Returns `undefined` if the part isn't media, or has neither data nor URL
 * nor id.
 */
export function fileOf(part: ContentPart, providerKey: string): PromptFile | undefined {
  const { mediaType, source, filename } = mediaOf(part);
  const file = fileFrom(source, mediaType);
  if (file !== undefined) return { ...file, ...present({ filename }) };
  const fileId = part.type === "media" ? textField(part, "fileId") : undefined;
  if (fileId === undefined) return undefined;
  return {
    mediaType: mediaType ?? "application/octet-stream",
    data: { type: "reference", reference: { [providerKey]: fileId } },
    ...present({ filename }),
  };
}

interface FoundMedia {
  readonly mediaType?: string | undefined;
  readonly source?: unknown;
  readonly filename?: string | undefined;
}

/** Returns the media in a part, in the format of JAF, of OpenAI's Chat Completions or of the AI SDK's messages. */
function mediaOf(part: ContentPart): FoundMedia {
  const mediaType = textField(part, "mediaType");
  const filename = textField(part, "filename");
  switch (part.type) {
    case "media":
      return { mediaType, filename, source: part["data"] ?? part["url"] };
    case "file":
      return { mediaType, filename, source: part["data"] };
    case "image":
      return { mediaType: mediaType ?? "image/*", filename, source: part["image"] };
    default:
      return { mediaType: "image/*", source: imageUrlOf(part) };
  }
}

function fileFrom(source: unknown, mediaType: string | undefined): PromptFile | undefined {
  const fallback = mediaType ?? "application/octet-stream";
  if (source instanceof Uint8Array) return { mediaType: fallback, data: { type: "data", data: source } };
  const text = source instanceof URL ? source.href : source;
  if (typeof text !== "string" || text === "") return undefined;
  const [head, declared, isBase64] = DATA_URL.exec(text) ?? [];
  if (head !== undefined) {
    const body = text.slice(head.length);
    const data = isBase64 === undefined ? base64Of(utf8Of(percentDecoded(body))) : body;
    const isExact = mediaType !== undefined && !mediaType.includes("*");
    return { mediaType: isExact ? mediaType : declared || fallback, data: { type: "data", data } };
  }
  if (!URL.canParse(text)) return { mediaType: fallback, data: { type: "data", data: text } };
  const url = new URL(text);
  const original = url.href === text ? {} : { originalUrl: text };
  return { mediaType: fallback, data: { type: "url", url, ...original } };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a text in place of a file that the model can't get, or whose data is missing, e.g. because a blob was lost. */
export function placeholder(file: object): string {
  const fields = { ...file };
  return `[${textField(fields, "filename") ?? textField(fields, "mediaType") ?? "media"}]`;
}

interface Downloading {
  readonly download: AiSdkProviderOptions["download"];
  readonly signal: AbortSignal | undefined;
}

/** Replaces each URL that the model's provider can't load by the data of its file. Rejects if `download` rejects. */
export async function withDownloads(
  prompt: readonly PromptMessage[],
  model: AiSdkModel,
  { download, signal }: Downloading,
): Promise<void> {
  if (download === undefined) return;
  const supported = await model.supportedUrls;
  await Promise.all(
    prompt.flatMap(filesOf).map(async (file) => {
      const { data, mediaType } = file;
      if (data.type !== "url" || isSupported(supported, mediaType, data.url)) return;
      file.data = { type: "data", data: await download(data.url, { mediaType, signal }) };
    }),
  );
}

function filesOf({ content }: PromptMessage): FilePart[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => {
    if (part.type === "file") return [part];
    if (part.type !== "tool-result" || part.output.type !== "content") return [];
    return part.output.value.filter((value) => value.type === "file");
  });
}

/**
 * Checks whether the provider can load a URL by itself. `supported` has regular expressions by media type, which may end
 * with `*`.
 */
function isSupported(supported: unknown, mediaType: string, url: URL): boolean {
  const wanted = mediaType.toLowerCase();
  return Object.entries(fieldsOf(supported)).some(([pattern, expressions]) => {
    const prefix = pattern.toLowerCase().replace(/\*.*$/, "");
    const fits = pattern.includes("*") ? wanted.startsWith(prefix) : wanted === prefix;
    return fits && Array.isArray(expressions) && expressions.some((found) => isMatch(found, url));
  });
}

const isMatch = (expression: unknown, url: URL): boolean =>
  expression instanceof RegExp &&
  new RegExp(expression.source, expression.flags.replace(/[gy]/g, "")).test(url.href);
