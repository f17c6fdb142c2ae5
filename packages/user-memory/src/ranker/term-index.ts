/** A term of a document with its weight. */
export interface TermWeight {
  /** A stemmed word, with `?` before a word of a question, or a date such as `@2023-07-08`. */
  readonly term: string;
  /** A whole number from 1. */
  readonly weight: number;
}

/** The message that a document comes from. Documents without it have no neighbours. */
export interface MessageLocation {
  /** The id of the conversation. */
  readonly conversationId: string;
  /** Position of the message in its conversation, from 0. */
  readonly position: number;
}

/** The data of a document in an index, without its terms. */
export interface DocumentContext {
  /** Identifies the document of its user: whole numbers from 1, in the order of storage. */
  readonly seq: number;
  readonly location?: MessageLocation | undefined;
  /** Name or id of the author. */
  readonly author?: string | undefined;
  /** The time of the statement, in milliseconds since 1970. */
  readonly saidAt?: number | undefined;
  /** The author's side of the conversation, if known. */
  readonly role?: "user" | "assistant" | undefined;
}

/** A document with at least one of the requested terms. */
export interface MatchedDocument extends DocumentContext {
  /** Only those of the requested terms that the document has. */
  readonly terms: readonly TermWeight[];
  /** Number of all different terms of the document. Default: a usual length. */
  readonly length?: number | undefined;
}

/**
 * The result of an index: every document of the user with at least one of the terms, in any order. So the ranker can count
 * the documents of a term, and ranks the same on every backend.
 */
export interface Matches {
  /** Number of the user's documents in the index. */
  readonly size: number;
  /** The matching documents, in any order. */
  readonly documents: readonly MatchedDocument[];
  /**
   * Number of documents per word, in statements or questions. Present if `documents` are only the best matches. Absent if they
   * are all matches; then the ranker counts them.
   */
  readonly holders?: ReadonlyMap<string, number> | undefined;
}

/** The terms of one user's documents in memory. The cost of a change grows with the length of the document. */
export interface MemoryTermIndex {
  /** Adds a document or replaces the one with this `seq`. Pass each term once. */
  readonly add: (context: DocumentContext, terms: readonly TermWeight[]) => void;
  /** Removes a document. */
  readonly remove: (seq: number) => void;
  /** Finds every document with at least one of the terms, in no particular order. */
  readonly match: (terms: readonly string[]) => Matches;
}

interface Entry {
  readonly context: DocumentContext;
  readonly terms: readonly TermWeight[];
  /** By term: the index of this document in the term's posting. */
  readonly positions: number[];
  /** The found terms during a match. */
  found: TermWeight[] | undefined;
}

/** The documents with one term. Arrays are read fastest, and reads are far more frequent than changes. */
interface Posting {
  readonly entries: Entry[];
  /** The index of the term in each entry. */
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
    // Indexed loops here and in ranking, since iterators cost more than the work on each entry.
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

/** Removes an entry by moving the last one to its place. */
function strike({ entries, indexes }: Posting, at: number): void {
  const last = entries.pop();
  const index = indexes.pop();
  if (last === undefined || index === undefined || at === entries.length) return;
  entries[at] = last;
  indexes[at] = index;
  last.positions[index] = at;
}
