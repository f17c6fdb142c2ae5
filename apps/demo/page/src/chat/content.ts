import type { Piece } from "@jaf/server/client";
import { type Mark, marked } from "../ui/marks.ts";
import { citedAt, createSources, type LooseSource, type Source } from "./sources.ts";

interface LoosePart extends LooseSource {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly mediaType?: unknown;
  readonly data?: unknown;
}

/** The visible content of a message: its text, sources and embedded images. Nothing is fetched. */
export interface MessageContent {
  readonly text: string;
  /** The text with the marks of its sources, for `Markdown`. */
  readonly markedText: string;
  readonly reasoning: string;
  readonly sources: readonly Source[];
  readonly images: readonly { readonly source: string; readonly name: string }[];
}

const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** Returns the content of a reply in progress. */
export const contentOfPieces = (pieces: readonly Piece[]): MessageContent =>
  contentOf({ content: pieces.map((piece) => (piece.type === "part" ? piece.part : piece)) });

export function contentOf({ content }: { readonly content: unknown }): MessageContent {
  const parts: readonly LoosePart[] = Array.isArray(content)
    ? content
    : [{ type: "text", text: content ?? "" }];
  const sources = createSources();
  const texts: Text[] = [];
  for (const [index, part] of parts.entries()) {
    const text = saidIn(part);
    const last = texts.at(-1);
    if (text !== undefined) {
      // A service splits a text where it cites a source.
      const goesOn = last !== undefined && parts[index - 1]?.type === "source";
      texts.push({ text, marks: [], goesOn });
    } else if (part.type === "source") {
      const number = sources.numberOf(part);
      last?.marks.push(...citedAt(part, last.text).map((at) => ({ at, number })));
    }
  }
  return {
    text: joined(texts, ({ text }) => text),
    markedText: joined(texts, ({ text, marks }) => marked(text, marks)),
    reasoning: parts
      .flatMap(({ type, text }) => (type === "reasoning" && typeof text === "string" ? [text] : []))
      .join("\n\n"),
    sources: sources.all(),
    images: parts.flatMap((part) => imageOf(part) ?? []),
  };
}

interface Text {
  readonly text: string;
  readonly marks: Mark[];
  /** Whether it continues the text before it. */
  readonly goesOn: boolean;
}

function saidIn({ type, text, refusal }: LoosePart): string | undefined {
  const said = type === "refusal" ? refusal : type === "text" ? text : undefined;
  return typeof said === "string" && said !== "" ? said : undefined;
}

const joined = (texts: readonly Text[], shown: (text: Text) => string): string =>
  texts.map((text, index) => (index === 0 || text.goesOn ? "" : "\n\n") + shown(text)).join("");

function imageOf({ type, mediaType, data, filename }: LoosePart) {
  if (type !== "media" || typeof mediaType !== "string" || !IMAGE.test(mediaType)) return undefined;
  if (typeof data !== "string" || !/^[\w+/=-]+$/.test(data)) return undefined;
  const name = typeof filename === "string" ? filename : "Image";
  return { source: `data:${mediaType};base64,${data}`, name };
}
