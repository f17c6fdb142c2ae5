import type { ContentPart, MediaPart } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import {
  base64Of,
  type Fields,
  fieldsOf,
  imageUrlOf,
  isMedia,
  isObject,
  isTextMedia,
  mediaMention,
  textIn,
} from "@jaf/model-http";
import { textBlocks, type WireBlock } from "../parts.ts";

/** Image types that Anthropic supports. */
const IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Anthropic's own types of blocks in user messages and tool results. */
const NATIVE: ReadonlySet<string> = new Set(["image", "document", "search_result"]);

/** The blocks of a user's message or tool result. Unsupported parts are left out. */
export function contentBlocks(parts: readonly ContentPart[]): readonly WireBlock[] {
  return parts.flatMap((part): readonly WireBlock[] => {
    const text = partText(part);
    if (text !== undefined) return textBlocks(text);
    if (isMedia(part)) return mediaBlocks(part);
    if (NATIVE.has(part.type) && (isObject(part["source"]) || part.type === "search_result")) {
      const { providerMetadata: _, ...block } = part;
      return [{ ...block, type: part.type }];
    }
    const url = imageUrlOf(part);
    return url === undefined ? [] : mediaBlocks({ type: "media", mediaType: "image/*", url });
  });
}

const DATA_URL = /^data:([^;,]+)[^,]*;base64,/;

/** Images, PDFs and texts by bytes, URL or file id. Other media become a mention. */
function mediaBlocks(part: MediaPart): readonly WireBlock[] {
  const { data, url, fileId } = part;
  if (fileId !== undefined) return [fileBlock(part, { type: "file", file_id: fileId })];
  const address = url === undefined ? undefined : String(url);
  const [head, declared] = DATA_URL.exec(address ?? "") ?? [];
  if (head !== undefined && address !== undefined)
    return bytesBlocks({ ...part, mediaType: declared ?? part.mediaType }, address);
  if (data !== undefined) return bytesBlocks(part, data);
  const isReadable = part.mediaType.startsWith("image/") || part.mediaType === "application/pdf";
  if (address === undefined || !isReadable) return textBlocks(mediaMention(part));
  return [fileBlock(part, { type: "url", url: address })];
}

function bytesBlocks(part: MediaPart, data: Uint8Array | string): readonly WireBlock[] {
  const { mediaType } = part;
  if (IMAGES.has(mediaType) || mediaType === "application/pdf")
    return [fileBlock(part, { type: "base64", media_type: mediaType, data: base64Of(data) })];
  if (!isTextMedia(mediaType)) return textBlocks(mediaMention(part));
  const text = textIn(data);
  return text.trim() === ""
    ? textBlocks(mediaMention(part))
    : [fileBlock(part, { type: "text", media_type: "text/plain", data: text })];
}

/** `providerMetadata.anthropic` may hold a document's `title`, `context` and `citations`. */
function fileBlock({ mediaType, filename, providerMetadata }: MediaPart, source: Fields): WireBlock {
  if (mediaType.startsWith("image/")) return { type: "image", source };
  const { title, context, citations } = fieldsOf(providerMetadata?.["anthropic"]);
  const further = { title: title ?? filename, context, citations };
  const given = Object.entries(further).filter(([, value]) => value !== undefined);
  return { type: "document", source, ...Object.fromEntries(given) };
}
