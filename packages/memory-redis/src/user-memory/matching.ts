import type { MatchedDocument, StoredFact, TermWeight } from "@jaf/user-memory/adapter";

/** How many facts with neighbouring numbers have their contexts in one field: so all are read from few fields. */
export const CONTEXTS_PER_FIELD = 32;

/**
 * What ranking needs of a fact beside its terms, as JSON with a comma behind it; empty for a fact that isn't indexed. A
 * bracket begins it, and stands nowhere else in it.
 */
export function encodeContext(fact: StoredFact): string {
  if (fact.terms.length === 0) return "";
  const { seq, conversationId, position, author, saidAt } = fact;
  const location = conversationId === null || position === null ? [null, null] : [conversationId, position];
  const length = new Set(fact.terms.map(({ term }) => term)).size;
  const json = JSON.stringify([seq, ...location, author, saidAt, length]);
  return `[${json.slice(1).replaceAll("[", "\\u005b")},`;
}

type Row = readonly [
  seq: number,
  conversationId: string | null,
  position: number | null,
  author: string | null,
  saidAt: number | null,
  length: number,
];

/** A document whose terms are still to be added. */
export interface OpenDocument extends MatchedDocument {
  readonly terms: TermWeight[];
}

/** Of contexts one behind the other. */
export function decodeContexts(text: string): ReadonlyMap<number, OpenDocument> {
  const rows: readonly Row[] = JSON.parse(`[${text.slice(0, -1)}]`);
  const documents = new Map<number, OpenDocument>();
  for (const [seq, conversationId, position, author, saidAt, length] of rows) {
    documents.set(seq, {
      seq,
      location: conversationId === null || position === null ? undefined : { conversationId, position },
      author: author ?? undefined,
      saidAt: saidAt ?? undefined,
      length,
      terms: [],
    });
  }
  return documents;
}
