import { type Citation, type Fields, fieldsOf, listOf } from "@jaf/model-http";
import type { WireBlock } from "../parts.ts";

/** Returns what the blocks of one text part cite, and where. `pages`: the fetched pages. */
export function citationsIn(texts: readonly WireBlock[], pages: readonly FetchedPage[]): readonly Citation[] {
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

function sourceOf(citation: Fields, pages: readonly FetchedPage[]): Citation {
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
  // The index counts the documents of the request, too.
  const named = title === undefined ? [] : pages.filter((page) => page.title === title);
  const page = named.find((each) => each === pages[Number(document_index)]) ?? named[0];
  const address = textIn(url) ?? webAddressIn(source) ?? page?.url;
  if (address !== undefined) return { sourceType: "url", url: address, title };
  const documentId = textIn(source) ?? textIn(file_id) ?? String(document_index ?? search_result_index);
  return { sourceType: "document", documentId, title, mediaType: MEDIA_TYPES[String(type)] };
}

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const webAddressIn = (source: unknown): string | undefined =>
  typeof source === "string" && /^https?:/.test(source) && URL.canParse(source) ? source : undefined;

interface FetchedPage {
  readonly url: string;
  readonly title: string | undefined;
}

/** The pages that the service fetched for the reply, in order. */
export const fetchedPages = (blocks: readonly WireBlock[]): readonly FetchedPage[] =>
  blocks.flatMap(({ content }) => {
    const { type, url, content: page } = fieldsOf(content);
    return type === "web_fetch_result" && typeof url === "string"
      ? [{ url, title: textIn(fieldsOf(page)["title"]) }]
      : [];
  });
