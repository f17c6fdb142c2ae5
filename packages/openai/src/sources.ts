import { type Citation, type Fields, fieldsOf, isObject, listOf } from "@jaf/model-http";

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
  if (type === "url_citation" && typeof url === "string")
    return { sourceType: "url", url, title: textOf(title), range };
  if (type === "file_citation" || type === "container_file_citation")
    return { sourceType: "document", filename: textOf(filename), documentId: textOf(documentId), range };
  return undefined;
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
