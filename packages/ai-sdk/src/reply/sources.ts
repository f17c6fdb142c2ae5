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
 * Adds to each source where the nearest text before it cites it, as far as the provider says so. Puts the sources that
 * a text's citations name behind this text. Leaves out a source that is the same as another one of this text.
 */
export function withRanges(parts: readonly ContentPart[], reply: Fields): readonly ContentPart[] {
  let cited: readonly Cited[] = [];
  let placed = new Set<string>();
  const place = (source: ContentPart): readonly ContentPart[] => {
    const { id: _, ...said } = source;
    const same = JSON.stringify(said);
    if (placed.has(same)) return [];
    placed.add(same);
    const key = keyOf(source);
    const ranges = cited.flatMap((each) =>
      each.key === key && each.range !== undefined ? [each.range] : [],
    );
    return [ranges.length === 0 ? source : { ...source, ranges }];
  };
  return parts.flatMap((part) => {
    if (isSource(part)) return place(part);
    if (part.type !== "text") return [part];
    cited = [...citationsOf(part), ...groundingOf(part, reply)];
    placed = new Set();
    return [part, ...cited.flatMap(({ source }) => (source === undefined ? [] : place(source)))];
  });
}

const keyOf = ({ url, title, filename }: Fields): string =>
  typeof url === "string" ? url : JSON.stringify([title, filename]);

const rangeOf = (start: unknown, end: unknown): TextRange | undefined =>
  typeof start === "number" && typeof end === "number" && 0 <= start && start < end
    ? { start, end }
    : undefined;

/** Returns the citations of V4 models, and the annotations of OpenAI's. */
function citationsOf({ citations, providerMetadata }: Fields): readonly Cited[] {
  const named = listOf(citations).flatMap((citation): readonly Cited[] => {
    const { source, startIndex, endIndex } = fieldsOf(citation);
    const part = isObject(source) ? partOf({ ...source, type: "source" }) : undefined;
    return part === undefined
      ? []
      : [{ key: keyOf(part), range: rangeOf(startIndex, endIndex), source: part }];
  });
  const annotated = Object.values(fieldsOf(providerMetadata))
    .flatMap((metadata) => listOf(fieldsOf(metadata)["annotations"]))
    .map((annotation) => {
      const { start_index: start, end_index: end, ...fields } = fieldsOf(annotation);
      return { key: keyOf(fields), range: rangeOf(start, end) };
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
