import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import {
  type Citation,
  collectSources,
  doneChunk,
  type Fields,
  fieldsOf,
  isObject,
  isSource,
  listOf,
} from "@jaf/model-http";

/**
 * Returns the sources that a text's annotations cite: web pages, files, and files of a container. Chat Completions puts
 * the fields of an annotation into an object of the annotation's type.
 */
export const citationsIn = (annotations: unknown, text: string): readonly Citation[] =>
  listOf(annotations)
    .filter(isObject)
    .map((annotation) => citationOf(annotation, text))
    .filter((citation) => citation !== undefined);

function citationOf(annotation: Fields, text: string): Citation | undefined {
  const { type } = annotation;
  const fields = { ...annotation, ...fieldsOf(annotation[String(type)]) };
  const range = rangeOf(fields, text);
  const { url, title, filename, file_id: documentId } = fields;
  if (typeof url === "string" && url !== "") return { sourceType: "url", url, title: textOf(title), range };
  return typeof documentId === "string"
    ? { sourceType: "document", filename: textOf(filename) ?? documentId, documentId, range }
    : undefined;
}

/** Returns the web pages in a list of addresses, or of objects with an address. */
export const pagesIn = (list: unknown): readonly Citation[] =>
  listOf(list).flatMap((page): readonly Citation[] => {
    // GLM's name is `link`.
    const { link, url = link, title }: Fields = typeof page === "string" ? { url: page } : fieldsOf(page);
    return typeof url === "string" ? [{ sourceType: "url", url, title: textOf(title) }] : [];
  });

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function rangeOf({ start_index: start, end_index: end }: Fields, text: string): Citation["range"] {
  if (typeof start !== "number" || typeof end !== "number") return undefined;
  return { start: unitsBefore(text, start), end: unitsBefore(text, end) };
}

/** The services count characters: returns how many UTF-16 code units the first `characters` characters have. */
function unitsBefore(text: string, characters: number): number {
  let units = 0;
  let left = characters;
  for (const character of text) {
    if (left <= 0) break;
    units += character.length;
    left -= 1;
  }
  return units;
}

type Message = NonNullable<ModelCompletion["message"]>;

/** Puts the sources behind the last text, if no text cites any: those of Perplexity, xAI and others beside it. */
export function withSources(message: Message & Fields, body: Fields): Message {
  const { content } = message;
  const parts: readonly ContentPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const last = parts.findLastIndex((part) => Boolean(partText(part)));
  const cited = [
    citationsIn(message["annotations"], partText(parts[last] ?? { type: "" }) ?? ""),
    pagesIn(body["search_results"]),
    pagesIn(body["citations"]),
    pagesIn(fieldsOf(body["search_info"])["search_results"]),
    pagesIn(body["web_search"]),
    pagesIn(fieldsOf(message["context"])["citations"]),
    listOf(message["executed_tools"]).flatMap((tool) =>
      pagesIn(fieldsOf(fieldsOf(tool)["search_results"])["results"]),
    ),
  ].find((citations) => citations.length > 0);
  if (last === -1 || cited === undefined || parts.some(isSource)) return message;
  return { ...message, content: parts.toSpliced(last + 1, 0, ...collectSources().partsOf(cited)) };
}

/** Returns the last chunks of a stream: the sources of the reply, and the reply. */
export function lastChunks(completion: ModelCompletion): readonly ModelStreamChunk[] {
  const { content } = completion.message ?? {};
  const sources = Array.isArray(content) ? content.filter(isSource) : [];
  return [...sources.map((part) => ({ type: "part", part }) as const), doneChunk(completion)];
}
