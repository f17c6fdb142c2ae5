import type { Message } from "@jaf/memory";

interface LoosePart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly mediaType?: unknown;
  readonly data?: unknown;
  readonly filename?: unknown;
}

/** What of a message is shown: its words, and the images that are in it. Nothing that would have to be fetched. */
export interface ShownContent {
  readonly text: string;
  readonly reasoning: string;
  readonly images: readonly { readonly source: string; readonly name: string }[];
}

const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

export function shownContent({ content }: Pick<Message, "content">): ShownContent {
  const loose: unknown = content;
  if (typeof loose === "string") return { text: loose, reasoning: "", images: [] };
  const parts = Array.isArray(loose) ? (loose as readonly LoosePart[]) : [];
  const texts = (type: string, field: "text" | "refusal") =>
    parts.flatMap((part) => (part.type === type && typeof part[field] === "string" ? [part[field]] : []));
  return {
    text: [...texts("text", "text"), ...texts("refusal", "refusal")].join("\n\n"),
    reasoning: texts("reasoning", "text").join("\n\n"),
    images: parts.flatMap((part) => imageOf(part) ?? []),
  };
}

function imageOf({ type, mediaType, data, filename }: LoosePart) {
  if (type !== "media" || typeof mediaType !== "string" || !IMAGE.test(mediaType)) return undefined;
  if (typeof data !== "string" || !/^[\w+/=-]+$/.test(data)) return undefined;
  const name = typeof filename === "string" ? filename : "Image";
  return { source: `data:${mediaType};base64,${data}`, name };
}
