import type { MatchedDocument, Matches, StoredFact, TermWeight, UserKey } from "@jaf/user-memory/adapter";
import { list, number, text } from "../lua.ts";
import type { UserMemoryCalls } from "./keys.ts";

/** How many facts with consecutive numbers (`seq`) share one field of the Redis hash of contexts. */
export const CONTEXTS_PER_FIELD = 32;

/**
 * Encodes a fact's context: the data that ranking needs besides the fact's terms. The result is a JSON array with a
 * comma after it, or `""` for a fact without terms.
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

/** A found fact, to whose `terms` the matching terms are added. */
export interface OpenDocument extends MatchedDocument {
  readonly terms: TermWeight[];
}

/**
 * Converts a text of several facts' contexts (the data that ranking needs) into a map from each fact's number (`seq`)
 * to the data, without terms.
 */
function decodeContexts(text: string): ReadonlyMap<number, OpenDocument> {
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

const SEMICOLON = 59;
const COLON = 58;
const ZERO = 48;

/** Calls `use` for each `;<seq>:<weight>` in a text. */
function eachPosting(records: string, use: (seq: number, weight: number) => void): void {
  // Parsed by hand, because the text may have hundreds of thousands of them.
  let seq = 0;
  let value = 0;
  for (let at = 1; at <= records.length; at++) {
    const code = at === records.length ? SEMICOLON : records.charCodeAt(at);
    if (code === SEMICOLON) use(seq, value);
    else if (code === COLON) seq = value;
    if (code === SEMICOLON || code === COLON) value = 0;
    else value = value * 10 + code - ZERO;
  }
}

/** Returns a function that finds a user's facts by the terms in their texts. */
export function createMatching({ run, keys }: UserMemoryCalls) {
  return async (user: UserKey, given: readonly string[]): Promise<Matches> => {
    const { postings, contexts } = keys.of(user);
    const terms = [...new Set(given)];
    const args = [CONTEXTS_PER_FIELD, ...terms];
    const reply = list(await run("match", { keys: [postings, contexts], args }));
    const documents = decodeContexts(
      list(reply[1])
        .map((context) => (context == null ? "" : text(context)))
        .join(""),
    );
    for (const [at, term] of terms.entries()) {
      eachPosting(text(reply[at + 2]), (seq, weight) => documents.get(seq)?.terms.push({ term, weight }));
    }
    return {
      size: number(reply[0]),
      documents: [...documents.values()].filter(({ terms }) => terms.length > 0),
    };
  };
}
