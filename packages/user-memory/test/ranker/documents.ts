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

/** The documents of one user, with `seq` 1 for the first. */
export function indexOf(documents: readonly Told[]) {
  const index = createMemoryTermIndex();
  for (const [at, { text, ...context }] of documents.entries()) {
    index.add({ seq: at + 1, ...context }, termsOf(text, context));
  }
  return index;
}

/** What a query finds among the documents, best first. */
export function search(
  documents: readonly Told[],
  text: string,
  options: RankOptions & { readonly now?: number } = {},
) {
  const query = parseQuery(text, options);
  return rank(query, indexOf(documents).match(query.terms), options);
}

/** The `seq` of each, or `conversation:position` where there is no document. */
export const found = (...input: Parameters<typeof search>) =>
  search(...input).map(({ seq, location }) => seq ?? `${location?.conversationId}:${location?.position}`);

/** The texts as the messages of one conversation, by two who take turns. */
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
