import { type Citation, type Fields, fieldsOf, listOf } from "@jaf/model-http";
import type { WireBlock } from "../parts.ts";

/** Returns what the blocks of one text part cite, and where. `pages`: the addresses of fetched pages, by their titles. */
export function citationsIn(
  texts: readonly WireBlock[],
  pages: ReadonlyMap<unknown, string>,
): readonly Citation[] {
  let start = 0;
  return texts.flatMap(({ text, citations }) => {
    const end = start + String(text ?? "").length;
    const range = { start, end };
    start = end;
    return listOf(citations).map((citation) => ({ ...sourceOf(fieldsOf(citation), pages), range }));
  });
}

/** Media types of documents, by the type of location that cites them. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  page_location: "application/pdf",
  char_location: "text/plain",
};

function sourceOf(citation: Fields, pages: ReadonlyMap<unknown, string>): Citation {
  const {
    type,
    url,
    source,
    title: given,
    document_title,
    document_index,
    search_result_index,
    file_id,
  } = citation;
  const title = textIn(given) ?? textIn(document_title);
  // The source of a search result is an address, or any other name that the application gave it.
  const address = textIn(url) ?? webAddressIn(source) ?? pages.get(title);
  if (address !== undefined) return { sourceType: "url", url: address, title };
  const documentId = textIn(source) ?? textIn(file_id) ?? String(document_index ?? search_result_index);
  return { sourceType: "document", documentId, title, mediaType: MEDIA_TYPES[String(type)] };
}

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const webAddressIn = (source: unknown): string | undefined =>
  typeof source === "string" && /^https?:/.test(source) && URL.canParse(source) ? source : undefined;

/** The addresses of the pages that the service fetched for the reply, by their titles. */
export function fetchedPages(blocks: readonly WireBlock[]): ReadonlyMap<unknown, string> {
  const pages = new Map<unknown, string>();
  for (const { content } of blocks) {
    const { type, url, content: page } = fieldsOf(content);
    const title = textIn(fieldsOf(page)["title"]);
    if (type === "web_fetch_result" && typeof url === "string" && title !== undefined) pages.set(title, url);
  }
  return pages;
}
