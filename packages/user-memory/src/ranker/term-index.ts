/** What a document says with one word, and how often or how weightily: whole numbers from 1. */
export interface TermWeight {
  readonly term: string;
  readonly weight: number;
}

/** Where a document was said. Documents without it have no neighbours. */
export interface MessageLocation {
  readonly conversationId: string;
  /** Index of the message in its conversation, from 0. */
  readonly position: number;
}

/** What an index keeps of a document beside its terms. */
export interface DocumentContext {
  /** Names the document among those of its user. Whole, from 1, in the order of being stored. */
  readonly seq: number;
  readonly location?: MessageLocation | undefined;
  /** Who said it, as a name or an id. */
  readonly author?: string | undefined;
  /** When it was said, in milliseconds since 1970. */
  readonly saidAt?: number | undefined;
  /** Whose side of a conversation it is, where that is known. */
  readonly role?: "user" | "assistant" | undefined;
}

/** A document that holds at least one of the terms that were asked for; `terms` are those, and no others. */
export interface MatchedDocument extends DocumentContext {
  readonly terms: readonly TermWeight[];
  /** How many different terms the index holds of it, whatever was asked for. Absent: it counts as one of usual length. */
  readonly length?: number | undefined;
}

/**
 * What an index answers: every document of the user with at least one of the terms, in any order. So the ranker knows in
 * how many documents a term stands, and ranks the same on every backend.
 */
export interface Matches {
  /** How many documents of the user the index holds. */
  readonly size: number;
  readonly documents: readonly MatchedDocument[];
  /**
   * In how many documents each word stands, said or asked with. Present where `documents` are only the best of those that
   * match; absent: they are all, and are counted.
   */
  readonly holders?: ReadonlyMap<string, number> | undefined;
}

/** The terms of one user's documents, in memory. Changing a document costs as much as the document is long. */
export interface MemoryTermIndex {
  /** Adds a document, or replaces the one with this `seq`. Each term is given once. */
  readonly add: (context: DocumentContext, terms: readonly TermWeight[]) => void;
  /** Nothing of the document is kept. */
  readonly remove: (seq: number) => void;
  /** Every document with at least one of the terms, in no particular order. */
  readonly match: (terms: readonly string[]) => Matches;
}

interface Entry {
  readonly context: DocumentContext;
  readonly terms: readonly TermWeight[];
  /** By term: where in its posting this document stands. */
  readonly positions: number[];
  /** What the match in hand has found of it. */
  found: TermWeight[] | undefined;
}

/** The documents with one term. Lists, because they are read far more often than changed, and read fastest. */
interface Posting {
  readonly entries: Entry[];
  /** Beside each entry: which of its terms this is. */
  readonly indexes: number[];
}

/** An empty index for the documents of one user. */
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
    // Walked by index, here and in ranking: iterators cost more than the work on each entry.
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

/** Takes one out by putting the last in its place. */
function strike({ entries, indexes }: Posting, at: number): void {
  const last = entries.pop();
  const index = indexes.pop();
  if (last === undefined || index === undefined || at === entries.length) return;
  entries[at] = last;
  indexes[at] = index;
  last.positions[index] = at;
}
