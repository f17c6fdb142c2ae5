import type { MatchedDocument } from "./matches.ts";
import type { Query } from "./query.ts";
import { isStopWord } from "./stop-words.ts";
import { tokenize } from "./tokenizer.ts";

/** Which of the authors a query names. */
export interface NamedAuthors {
  /** The authors that are named, in the order of the query: 0 for the first. */
  readonly order: ReadonlyMap<string, number>;
  /** The terms of the query that are such names and say nothing else. */
  readonly names: ReadonlySet<string>;
}

/** An author is named by any word of the name of two letters or more. Where there is but one, a name tells nothing apart. */
export function namedAuthors(query: Query, documents: readonly MatchedDocument[]): NamedAuthors {
  const firstAt = new Map<string, number>();
  const names = new Set<string>();
  const authors = new Set(documents.map((document) => document.author));
  for (const author of authors) {
    if (author === undefined || authors.size === 1) continue;
    const found = tokenize(author).filter((word) => isName(word) && query.spoken.includes(word));
    if (found.length === 0) continue;
    firstAt.set(author, Math.min(...found.map((word) => query.spoken.indexOf(word))));
    for (const [term, { forms }] of query.words) {
      if (forms.length > 0 && forms.every((form) => found.includes(form))) names.add(term);
    }
  }
  const positions = [...new Set(firstAt.values())].sort((a, b) => a - b);
  return { order: new Map(Array.from(firstAt, ([author, at]) => [author, positions.indexOf(at)])), names };
}

const isName = (word: string) => word.length > 1 && !isStopWord(word);
