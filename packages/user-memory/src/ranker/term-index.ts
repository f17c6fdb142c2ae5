/** An index term of a document, with its weight. */
export interface TermWeight {
  /** A stemmed word, a stemmed word of a question with `?` before it, or a date such as `@2023-07-08`. */
  readonly term: string;
  /** How often the document contains the term: a whole number, at least 1. */
  readonly weight: number;
}

/** The location of the message that a document comes from. */
export interface MessageLocation {
  /** The id of the conversation. */
  readonly conversationId: string;
  /** Position of the message in its conversation, from 0. */
  readonly position: number;
}

/** The data of a document (a fact, or a passage of a message) in an index, without its terms. */
export interface DocumentContext {
  /** The number of the document among the user's documents: whole numbers from 1, in the order of storage. */
  readonly seq: number;
  readonly location?: MessageLocation | undefined;
  /** Name or id of the document's author. */
  readonly author?: string | undefined;
  /** When the document was said, in milliseconds since 1970. */
  readonly saidAt?: number | undefined;
  /** Whether the user or the assistant is the author, if known. */
  readonly role?: "user" | "assistant" | undefined;
}

/** A document that contains at least one of the requested terms. */
export interface MatchedDocument extends DocumentContext {
  /** Those of the requested terms that the document contains. */
  readonly terms: readonly TermWeight[];
  /** Number of all different terms of the document. Absent: the number is unknown. */
  readonly length?: number | undefined;
}

/**
 * The result of a search in an index: every document of the user with at least one of the terms. Only a search over
 * messages returns fewer documents, and sets `holders`.
 */
export interface Matches {
  /** Number of the user's documents in the index. */
  readonly size: number;
  /** The matching documents, in any order. */
  readonly documents: readonly MatchedDocument[];
  /**
   * For each word of the query, the number of the user's documents that contain the word. Absent: `documents` contains
   * all matches.
   */
  readonly holders?: ReadonlyMap<string, number> | undefined;
}

/** An index of one user's documents in memory. */
export interface MemoryTermIndex {
  /** Adds a document, or replaces the document with this `seq`. `terms` must contain each term only once. */
  readonly add: (context: DocumentContext, terms: readonly TermWeight[]) => void;
  /** Removes a document. */
  readonly remove: (seq: number) => void;
  /** Finds every document that contains at least one of the terms, in no particular order. */
  readonly match: (terms: readonly string[]) => Matches;
}

interface Entry {
  readonly context: DocumentContext;
  readonly terms: readonly TermWeight[];
  /** For each term in `terms`: the index of this entry in the term's list of entries. */
  readonly positions: number[];
  /** The requested terms that a running search has found in the document so far. `undefined`: no search is running. */
  found: TermWeight[] | undefined;
}

/** The list of documents that contain one term. */
// Arrays, because they are fastest to search, and searches are far more frequent than changes.
interface Posting {
  readonly entries: Entry[];
  /** For each entry in `entries`, the index of the term in the entry's `terms`. */
  readonly indexes: number[];
}

/** Creates an empty index for the documents of one user. */
export function createMemoryTermIndex(): MemoryTermIndex {
  const entries = new Map<number, Entry>();
  const postings = new Map<string, Posting>();

  const remove = (seq: number) => {
    const entry = entries.get(seq);
    if (entry === undefined) return;
    entries.delete(seq);
    for (const [index, { term }] of entry.terms.entries()) {
      const posting = postings.get(term);
      if (posting !== undefined) strike(posting, entry.positions[index] ?? -1);
      if (posting?.entries.length === 0) postings.delete(term);
    }
  };

  const add = (context: DocumentContext, terms: readonly TermWeight[]) => {
    remove(context.seq);
    const entry: Entry = { context, terms, positions: [], found: undefined };
    entries.set(context.seq, entry);
    for (const [index, { term }] of terms.entries()) {
      const posting = postings.get(term) ?? { entries: [], indexes: [] };
      postings.set(term, posting);
      entry.positions.push(posting.entries.push(entry) - 1);
      posting.indexes.push(index);
    }
  };

  return { add, remove, match: (terms) => ({ size: entries.size, documents: matched(postings, terms) }) };
}

function matched(
  postings: ReadonlyMap<string, Posting>,
  terms: readonly string[],
): readonly MatchedDocument[] {
  const met: Entry[] = [];
  for (const term of new Set(terms)) {
    const posting = postings.get(term);
    if (posting === undefined) continue;
    // The loops here and in ranking use indexes, because iterators cost more than the work on each entry.
    for (let at = 0; at < posting.entries.length; at++) {
      const entry = posting.entries[at];
      const weighted = entry?.terms[posting.indexes[at] ?? -1];
      if (entry === undefined || weighted === undefined) continue;
      if (entry.found !== undefined) entry.found.push(weighted);
      else {
        entry.found = [weighted];
        met.push(entry);
      }
    }
  }
  return met.map((entry) => {
    const { seq, location, author, saidAt, role } = entry.context;
    const found = entry.found ?? [];
    entry.found = undefined;
    return { seq, location, author, saidAt, role, terms: found, length: entry.terms.length };
  });
}

/** Removes the entry at the index `at` from a list. The last entry of the list takes its place. */
function strike({ entries, indexes }: Posting, at: number): void {
  const last = entries.pop();
  const index = indexes.pop();
  if (last === undefined || index === undefined || at === entries.length) return;
  entries[at] = last;
  indexes[at] = index;
  last.positions[index] = at;
}
