import type { ContentPart, TextRange } from "@jaf/memory";
import { type Fields, fieldsOf, isObject, isSource, listOf, textField } from "@jaf/model-http";
import { partOf } from "./parts.ts";

/** A citation in a text. */
interface Cited {
  /** What the source is recognized by: see {@link keyOf}. */
  readonly key: string;
  readonly range: TextRange | undefined;
  /** The source, if the provider names it in the citation. */
  readonly source?: ContentPart;
}

/**
 * Joins texts in a row, since some providers begin a new one inside a word, and puts each source behind its text, with the
 * places that cite it as far as the provider says so. A source that doesn't follow a text belongs to the next one.
 */
export function joinedTexts(parts: readonly ContentPart[], reply: Fields): readonly ContentPart[] {
  const placed: ContentPart[] = [];
  let texts: ContentPart[] = [];
  let sources: ContentPart[] = [];
  const flush = (): void => {
    if (texts.length === 0) return;
    const text = joined(texts);
    placed.push(text, ...sourcesOf(text, sources, reply));
    [texts, sources] = [[], []];
  };
  for (const part of parts) {
    if (isSource(part)) {
      sources.push(part);
      continue;
    }
    if (part.type !== "text" || hasItem(part) || hasItem(texts[0])) flush();
    if (part.type === "text") texts.push(part);
    else placed.push(part);
  }
  flush();
  return [...placed, ...sources];
}

/** Checks whether a text is an item of its own, as OpenAI's are. */
const hasItem = (text: ContentPart | undefined): boolean =>
  Object.values(fieldsOf(text?.["providerMetadata"])).some((metadata) => "itemId" in fieldsOf(metadata));

/** Joins texts. The metadata has the length and the other fields of each. */
function joined(texts: readonly ContentPart[]): ContentPart {
  const [first] = texts;
  if (first !== undefined && texts.length === 1) return first;
  const segments = texts.map(({ type: _, text, ...more }) => ({ length: String(text).length, ...more }));
  return {
    type: "text",
    text: texts.map(({ text }) => text).join(""),
    providerMetadata: { jaf: { segments } },
  };
}

/** Returns the texts that were joined. */
export function segmentsOf(part: ContentPart): readonly ContentPart[] {
  const { segments } = fieldsOf(fieldsOf(part["providerMetadata"])["jaf"]);
  const text = String(part["text"]);
  let end = 0;
  const texts = listOf(segments).map((segment): ContentPart => {
    const { length, ...more } = fieldsOf(segment);
    const start = end;
    end += Number(length);
    return { type: "text", text: text.slice(start, end), ...more };
  });
  // A text that was changed has other segments.
  return texts.length > 0 && end === text.length ? texts : [part];
}

/** Returns the sources of a text, each once, with all places that cite it. */
function sourcesOf(text: ContentPart, found: readonly ContentPart[], reply: Fields): readonly ContentPart[] {
  let at = 0;
  const cited = segmentsOf(text).flatMap((segment) => {
    const citations = citationsOf(segment, at);
    at += String(segment["text"]).length;
    return citations;
  });
  cited.push(...groundingOf(text, reply));
  const distinct = new Map<string, ContentPart>();
  for (const source of [...cited.flatMap((citation) => citation.source ?? []), ...found]) {
    const { id: _, ...said } = source;
    const ranges = cited.flatMap(({ key, range }) => (key === keyOf(source) && range ? [range] : []));
    const same = JSON.stringify(said);
    if (!distinct.has(same)) distinct.set(same, ranges.length === 0 ? source : { ...source, ranges });
  }
  return [...distinct.values()];
}

const keyOf = ({ url, title, filename }: Fields): string =>
  typeof url === "string" ? url : JSON.stringify([title, filename]);

const rangeOf = (start: unknown, end: unknown, at: number): TextRange | undefined =>
  typeof start === "number" && typeof end === "number" && 0 <= start && start < end
    ? { start: at + start, end: at + end }
    : undefined;

/** Returns the citations of V4 models, and the annotations of OpenAI's, in a text that begins `at` this position. */
function citationsOf({ citations, providerMetadata }: Fields, at: number): readonly Cited[] {
  const named = listOf(citations).flatMap((citation): readonly Cited[] => {
    const { source, startIndex, endIndex } = fieldsOf(citation);
    const part = isObject(source) ? partOf({ ...source, type: "source" }) : undefined;
    return part === undefined
      ? []
      : [{ key: keyOf(part), range: rangeOf(startIndex, endIndex, at), source: part }];
  });
  const annotated = Object.values(fieldsOf(providerMetadata))
    .flatMap((metadata) => listOf(fieldsOf(metadata)["annotations"]))
    .map((annotation) => {
      const { start_index: start, end_index: end, ...fields } = fieldsOf(annotation);
      return { key: keyOf(fields), range: rangeOf(start, end, at) };
    });
  return [...named, ...annotated];
}

/** Returns the citations in the grounding metadata of Google's models, which a whole reply has. */
function groundingOf({ text }: Fields, { providerMetadata }: Fields): readonly Cited[] {
  return Object.values(fieldsOf(providerMetadata)).flatMap((metadata) => {
    const { groundingChunks, groundingSupports } = fieldsOf(fieldsOf(metadata)["groundingMetadata"]);
    const urls = listOf(groundingChunks).map(urlOf);
    return listOf(groundingSupports).flatMap((support) => {
      const { segment, groundingChunkIndices } = fieldsOf(support);
      const range = placeOf(fieldsOf(segment), String(text));
      return listOf(groundingChunkIndices).map((index) => ({ key: urls[Number(index)] ?? "", range }));
    });
  });
}

/** Returns where the text has a segment. Google counts bytes, so a position is at most the one that it says. */
function placeOf({ startIndex = 0, text: said }: Fields, text: string): TextRange | undefined {
  if (typeof said !== "string" || said === "") return undefined;
  const before = text.lastIndexOf(said, Number(startIndex));
  const start = before < 0 ? text.indexOf(said) : before;
  return start < 0 ? undefined : { start, end: start + said.length };
}

/** Returns the address in a grounding chunk, whose only field is its kind, e.g. `web`. */
const urlOf = (chunk: unknown): string | undefined =>
  Object.values(fieldsOf(chunk))
    .map((source) => textField(fieldsOf(source), "uri"))
    .find((uri) => uri !== undefined);
