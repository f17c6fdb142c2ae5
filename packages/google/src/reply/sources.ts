import type { ContentPart, TextRange } from "@jaf/memory";
import { type Citation, collectSources, type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { textIn } from "../parts.ts";

/** A text of the answer as Gemini numbers it: in a stream, its pieces together. */
export interface AnswerText {
  readonly text: string;
  /** Its number among Gemini's parts. */
  readonly index: number;
  /** The number of the text part that it belongs to. */
  readonly place: number;
}

interface Cited {
  readonly source: Citation;
  readonly place: number;
}

/** Puts the sources of a reply behind the text parts that cite them; those that no text cites, behind the last one. */
export function withSources(
  parts: readonly ContentPart[],
  texts: readonly AnswerText[],
  metadata: Fields,
): readonly ContentPart[] {
  const end = texts.at(-1)?.place ?? parts.findLastIndex(({ type }) => type === "media");
  // A reply with sources alone is empty.
  const cited = end === -1 ? [] : citedIn(metadata, texts, end);
  if (cited.length === 0) return parts;
  const sources = collectSources();
  return parts.flatMap((part, place) => {
    const own = cited.filter((each) => each.place === place).map(({ source }) => source);
    return own.length === 0 ? [part] : [part, ...sources.partsOf(own)];
  });
}

function citedIn(metadata: Fields, texts: readonly AnswerText[], end: number): readonly Cited[] {
  const grounding = fieldsOf(metadata["groundingMetadata"]);
  const chunks = listOf(grounding["groundingChunks"]).map((chunk) => chunkSource(fieldsOf(chunk)));
  const located = [
    ...listOf(grounding["groundingSupports"]).flatMap((sent) => {
      const { segment, groundingChunkIndices } = fieldsOf(sent);
      const cited = listOf(groundingChunkIndices).map((index) => chunks[Number(index)]);
      return cited.flatMap((source) => citedAt(source, fieldsOf(segment), texts));
    }),
    ...citationsIn(metadata).flatMap((citation) => citedAt(pageSource(citation), citation, texts)),
  ];
  const known = new Set(located.map(({ source }) => keyOf(source)));
  const unlocated = [...chunks, ...citationsIn(metadata).map(pageSource), ...readPages(metadata)];
  const others = unlocated.filter((source) => source !== undefined && !known.has(keyOf(source)));
  return [...located, ...others.flatMap((source) => (source === undefined ? [] : [{ source, place: end }]))];
}

const keyOf = ({ url, title, documentId }: Citation): string => url ?? JSON.stringify([documentId, title]);

/** The Gemini API and Vertex AI name the list differently. */
function citationsIn(metadata: Fields): readonly Fields[] {
  const { citationSources, citations } = fieldsOf(metadata["citationMetadata"]);
  return [...listOf(citationSources), ...listOf(citations)].map(fieldsOf);
}

/** Returns the pages that the tool `urlContext` has read. */
const readPages = (metadata: Fields): readonly (Citation | undefined)[] =>
  listOf(fieldsOf(metadata["urlContextMetadata"])["urlMetadata"])
    .map(fieldsOf)
    .filter(({ urlRetrievalStatus: status }) => status === "URL_RETRIEVAL_STATUS_SUCCESS")
    .map(({ retrievedUrl }) => pageSource({ uri: retrievedUrl }));

const chunkSource = ({ web, maps, retrievedContext, image }: Fields): Citation | undefined => {
  const { sourceUri, ...held } = fieldsOf(web ?? maps ?? retrievedContext ?? image);
  return pageSource(sourceUri === undefined ? held : { ...held, uri: sourceUri });
};

function pageSource({ uri, title: sentTitle, documentName, fileSearchStore }: Fields): Citation | undefined {
  const title = textIn(sentTitle);
  const url = textIn(uri) ?? (title === undefined ? textIn(documentName ?? fileSearchStore) : undefined);
  if (url !== undefined && /^https?:/.test(url)) return { sourceType: "url", url, title };
  if (url === undefined && title === undefined) return undefined;
  const filename = url === undefined ? undefined : textIn(url.slice(url.lastIndexOf("/") + 1));
  return { sourceType: "document", title, filename, documentId: textIn(documentName) ?? url };
}

/** Returns the source at each text part that its segment touches. */
function citedAt(
  source: Citation | undefined,
  segment: Fields,
  texts: readonly AnswerText[],
): readonly Cited[] {
  const found = source === undefined ? undefined : segmentRange(segment, texts);
  if (source === undefined || found === undefined) return [];
  let from = 0;
  const bounds = new Map<number, TextRange>();
  for (const { text, place } of texts) {
    const { start } = bounds.get(place) ?? { start: from };
    from += text.length;
    bounds.set(place, { start, end: from });
  }
  return [...bounds].flatMap(([place, bound]) => {
    const [start, end] = [Math.max(found.start, bound.start), Math.min(found.end, bound.end)];
    const range = { start: start - bound.start, end: end - bound.start };
    return start < end ? [{ source: { ...source, range }, place }] : [];
  });
}

/**
 * Returns a segment's place in the joined texts. Its offsets are bytes of a part, and of all texts in streams, which cut
 * parts. They hold if the segment's own text is there; otherwise the segment is where its text is first.
 */
function segmentRange(segment: Fields, texts: readonly AnswerText[]): TextRange | undefined {
  const { startIndex = 0, endIndex, partIndex = 0, text } = segment;
  const answer = texts.map((each) => each.text).join("");
  const at = texts.findIndex(({ index }) => index === partIndex);
  const before = texts
    .slice(0, Math.max(at, 0))
    .map((each) => each.text)
    .join("");
  const range =
    byteRange(texts[at]?.text ?? "", { startIndex, endIndex, text }, before.length) ??
    byteRange(answer, { startIndex, endIndex, text }, 0);
  if (range !== undefined || typeof text !== "string") return range;
  const start = answer.indexOf(text);
  return start === -1 ? undefined : { start, end: start + text.length };
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function byteRange(
  base: string,
  { startIndex, endIndex, text }: Fields,
  offset: number,
): TextRange | undefined {
  const bytes = new TextEncoder().encode(base);
  const [from, to] = [Number(startIndex), Number(endIndex)];
  if (!(from < to && to <= bytes.length)) return undefined;
  const found = DECODER.decode(bytes.subarray(from, to));
  if (text !== undefined && text !== found) return undefined;
  const start = offset + DECODER.decode(bytes.subarray(0, from)).length;
  return { start, end: start + found.length };
}
