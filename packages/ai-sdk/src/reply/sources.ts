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
 * Puts each source behind its text, and adds where the text cites it, as far as the provider says so. A source that doesn't
 * follow a text belongs to the next one. Leaves out a source that is the same as another one of its text.
 */
export function withRanges(parts: readonly ContentPart[], reply: Fields): readonly ContentPart[] {
  const placed: ContentPart[] = [];
  let cited: readonly Cited[] = [];
  let said = new Set<string>();
  let early: ContentPart[] = [];
  const place = (sources: readonly ContentPart[]): void => {
    for (const source of sources) {
      const { id: _, ...rest } = source;
      const same = JSON.stringify(rest);
      if (said.has(same)) continue;
      said.add(same);
      const key = keyOf(source);
      const ranges = cited.flatMap((each) => (each.key === key && each.range ? [each.range] : []));
      placed.push(ranges.length === 0 ? source : { ...source, ranges });
    }
  };
  for (const part of parts) {
    if (isSource(part)) {
      const last = placed.at(-1)?.type;
      if (last === "text" || last === "source") place([part]);
      else early.push(part);
      continue;
    }
    placed.push(part);
    if (part.type !== "text") continue;
    cited = [...citationsOf(part), ...groundingOf(part, reply)];
    said = new Set();
    place([...cited.flatMap(({ source }) => source ?? []), ...early]);
    early = [];
  }
  place(early);
  return placed;
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
