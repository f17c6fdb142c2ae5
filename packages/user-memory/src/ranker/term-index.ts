import type { DocumentContext, MatchedDocument, Matches, MessageLocation, TermWeight } from "./matches.ts";

/** The terms of one user's documents, in memory. Changing a document costs as much as the document is long. */
export interface MemoryTermIndex {
  /** How many documents it holds. */
  readonly size: () => number;
  /** Adds a document, or replaces the one with this `seq`. A term that is given twice counts with the sum of its weights. */
  readonly add: (context: DocumentContext, terms: readonly TermWeight[]) => void;
  /** Whether there was one to remove. Nothing of it is kept. */
  readonly remove: (seq: number) => boolean;
  /** Every document with at least one of the terms, in no particular order. */
  readonly match: (terms: readonly string[]) => Matches;
  /** The documents that were said there, in the order of `seq`. */
  readonly at: (location: MessageLocation) => readonly number[];
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
  const locations = new Map<string, Map<number, Set<number>>>();

  const remove = (seq: number) => {
    const entry = entries.get(seq);
    if (entry === undefined) return false;
    entries.delete(seq);
    for (const [index, { term }] of entry.terms.entries()) {
      const posting = postings.get(term);
      if (posting !== undefined) strike(posting, entry.positions[index] ?? -1);
      if (posting?.entries.length === 0) postings.delete(term);
    }
    if (entry.context.location !== undefined) leave(locations, entry.context.location, seq);
    return true;
  };

  const add = (context: DocumentContext, given: readonly TermWeight[]) => {
    remove(context.seq);
    const entry: Entry = { context, terms: merged(given), positions: [], found: undefined };
    entries.set(context.seq, entry);
    for (const [index, { term }] of entry.terms.entries()) {
      const posting = postings.get(term) ?? { entries: [], indexes: [] };
      postings.set(term, posting);
      entry.positions.push(posting.entries.push(entry) - 1);
      posting.indexes.push(index);
    }
    if (context.location !== undefined) settle(locations, context.location, context.seq);
  };

  return {
    size: () => entries.size,
    add,
    remove,
    match: (terms) => ({ size: entries.size, documents: matched(postings, terms) }),
    at: ({ conversationId, position }) =>
      [...(locations.get(conversationId)?.get(position) ?? [])].sort((a, b) => a - b),
  };
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

function merged(terms: readonly TermWeight[]): readonly TermWeight[] {
  const weights = new Map<string, TermWeight>();
  for (const { term, weight } of terms) {
    weights.set(term, { term, weight: weight + (weights.get(term)?.weight ?? 0) });
  }
  return [...weights.values()];
}

type LocationIndex = Map<string, Map<number, Set<number>>>;

function settle(locations: LocationIndex, { conversationId, position }: MessageLocation, seq: number): void {
  const positions = locations.get(conversationId) ?? new Map<number, Set<number>>();
  locations.set(conversationId, positions);
  const there = positions.get(position) ?? new Set<number>();
  positions.set(position, there.add(seq));
}

function leave(locations: LocationIndex, { conversationId, position }: MessageLocation, seq: number): void {
  const positions = locations.get(conversationId);
  const there = positions?.get(position);
  there?.delete(seq);
  if (there?.size === 0) positions?.delete(position);
  if (positions?.size === 0) locations.delete(conversationId);
}
