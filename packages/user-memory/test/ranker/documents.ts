import {
  createMemoryTermIndex,
  type DocumentContext,
  parseQuery,
  type RankOptions,
  rank,
  termsOf,
} from "../../src/ranker/index.ts";

export interface Told extends Omit<DocumentContext, "seq"> {
  readonly text: string;
}

/** Returns an index of one user's documents, with `seq` 1 for the first. */
export function indexOf(documents: readonly Told[]) {
  const index = createMemoryTermIndex();
  for (const [at, { text, ...context }] of documents.entries()) {
    index.add({ seq: at + 1, ...context }, termsOf(text, context));
  }
  return index;
}

/** Returns the results of a query, best first. */
export function search(
  documents: readonly Told[],
  text: string,
  options: RankOptions & { readonly now?: number } = {},
) {
  const query = parseQuery(text, options);
  return rank(query, indexOf(documents).match(query.terms), options);
}

/** Returns the `seq` of each item, or `conversation:position` without a document. */
export const found = (...input: Parameters<typeof search>) =>
  search(...input).map(({ seq, location }) => seq ?? `${location?.conversationId}:${location?.position}`);

/** Returns the texts as messages of one conversation between two speakers. */
export const talk = (
  conversationId: string,
  texts: readonly string[],
  authors = ["Ada", "Ben"],
): readonly Told[] =>
  texts.map((text, position) => ({
    text,
    location: { conversationId, position },
    author: authors[position % authors.length],
  }));
