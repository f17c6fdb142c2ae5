import {
  askedTerm,
  type MatchedDocument,
  type Matches,
  type Query,
  type TermWeight,
} from "../ranker/index.ts";
import {
  eachMessage,
  hashOf,
  MESSAGE_HEAD,
  PASSAGE_HEAD,
  type Segment,
  type YieldIfDue,
} from "./conversation-index.ts";
import type { MatchOptions } from "./searched-index.ts";

/** The ranker gets at least this number of matching messages, if there are so many. */
const FEWEST_RANKED = 100;
/** How many messages before and after each of the best messages go to the ranker, if they match. */
export const REACH = 2;

/** Returns how many of the best matching messages the ranker gets, if the search wants `limit` messages. */
export const rankedFor = (limit: number): number => Math.max(FEWEST_RANKED, 4 * limit);

const FILTER_BITS = 0xffff;

/** A message that contains a term of the query. */
export interface Hit {
  readonly segment: Segment;
  /** The start of the message's block in `segment.data`. */
  readonly start: number;
  /** The number of the user's passages before the message. */
  readonly before: number;
  readonly position: number;
  /** The starts of the message's matching passages in `segment.data`. */
  readonly passages: number[];
  score: number;
}

/**
 * Finds the passages (parts of messages) that contain a term of the query. If there are very many, returns only those
 * of the best messages and of their neighbours.
 */
export async function matchSegments(
  segments: Iterable<Segment>,
  query: Query,
  { limit, conversationId, yieldIfDue }: MatchOptions,
): Promise<Matches> {
  const lookup = lookupOf(query, hashOf);
  const hits: Hit[] = [];
  const held = new Float64Array(lookup.terms.length);
  let size = 0;
  // The oldest conversation first, because the ranker takes the order of documents as their order in time.
  for (const segment of [...segments].reverse()) {
    eachMessage(segment, (start, end) => {
      let hit: Hit | undefined;
      eachPassage(segment.data, start, end, (passage, stop) => {
        size++;
        if (!lookup.find(segment.data, passage + PASSAGE_HEAD, stop)) return;
        for (const word of lookup.words) held[word] = (held[word] ?? 0) + lookup.met(word);
        if (conversationId !== undefined && segment.conversationId !== conversationId) return;
        hit ??= {
          segment,
          start,
          before: size - 1,
          position: segment.base + (segment.data[start] ?? 0),
          passages: [],
          score: 0,
        };
        hit.passages.push(passage);
      });
      if (hit !== undefined) hits.push(hit);
    });
    await yieldIfDue();
  }
  const shares = Array.from(query.words.values(), ({ share }) => share);
  const rarity = held.map((count, word) => (shares[word] ?? 1) * rarityOf(count, size));
  const kept = await bestOf(hits, { most: rankedFor(limit), rarity, lookup, yieldIfDue });
  const documents: MatchedDocument[] = [];
  for (const hit of kept) {
    documents.push(...documentsOf(hit, lookup));
    await yieldIfDue();
  }
  const words = [...query.words.keys()];
  return { size, documents, holders: new Map(words.map((word, index) => [word, held[index] ?? 0])) };
}

/** Returns how rare a term is that `count` of the user's `size` passages contain. */
export const rarityOf = (count: number, size: number): number =>
  Math.log(1 + (size - count + 0.5) / (count + 0.5));

export interface Lookup {
  /** The terms of the query, in this order: its words, its words with the `?` of questions, its dates. */
  readonly terms: readonly string[];
  /** The indexes of the query's words in `terms`. */
  readonly words: readonly number[];
  /** Counts the terms of the query in a range of `data` into `counts`. Returns whether the range contains a term. */
  readonly find: (data: Uint32Array, start: number, end: number) => boolean;
  /** For each index of `terms`: how often the term occurs in the last range in which `find` found a term. */
  readonly counts: Uint32Array;
  /**
   * Returns 1 if the word is in the last range in which `find` found a term, and 0 if it isn't. `word` is the index of
   * the word in `terms`.
   */
  readonly met: (word: number) => 0 | 1;
}

/** Creates a lookup of a query's terms. `keyOf` returns the number that stands for a term in the index. */
export function lookupOf(query: Query, keyOf: (term: string) => number): Lookup {
  const words = [...query.words.keys()];
  const terms = [...new Set([...words, ...words.map(askedTerm), ...query.terms])];
  const slots = new Map(terms.map((term, index) => [keyOf(term), index]));
  // The filter quickly skips the most common words: those that aren't in the query.
  const filter = new Uint8Array(FILTER_BITS + 1);
  for (const hash of slots.keys()) filter[hash & FILTER_BITS] = 1;
  const counts = new Uint32Array(terms.length);
  return {
    terms,
    words: words.map((_, index) => index),
    counts,
    met: (word) => ((counts[word] ?? 0) + (counts[words.length + word] ?? 0) > 0 ? 1 : 0),
    find: (data, start, end) => {
      let found = false;
      for (let at = start; at < end; at++) {
        const hash = data[at] ?? 0;
        if (filter[hash & FILTER_BITS] === 0) continue;
        const slot = slots.get(hash);
        if (slot === undefined) continue;
        if (!found) counts.fill(0);
        found = true;
        counts[slot] = (counts[slot] ?? 0) + 1;
      }
      return found;
    },
  };
}

function eachPassage(
  data: Uint32Array,
  start: number,
  end: number,
  use: (passage: number, stop: number) => void,
): void {
  for (let passage = start + MESSAGE_HEAD; passage < end; ) {
    const stop = passage + PASSAGE_HEAD + (data[passage] ?? 0);
    use(passage, stop);
    passage = stop;
  }
}

interface Choice {
  readonly most: number;
  /** How many matching messages before and after each of the best ones are returned, too. Default {@link REACH}. */
  readonly reach?: number;
  /** For each word of the query: its rarity times its share in a score. */
  readonly rarity: Float64Array;
  readonly lookup: Lookup;
  readonly yieldIfDue: YieldIfDue;
}

/** Returns the `most` best matching messages, of equal ones the latest, and the matching messages next to them. */
export async function bestOf(
  hits: readonly Hit[],
  { most, reach = REACH, rarity, lookup, yieldIfDue }: Choice,
): Promise<readonly Hit[]> {
  // A message is better if one of its passages contains more words of the query, or words in fewer of the user's
  // passages.
  if (hits.length <= most) return hits;
  const scores = new Float64Array(hits.length);
  for (const [index, hit] of hits.entries()) {
    for (const passage of hit.passages)
      scores[index] = Math.max(scores[index] ?? 0, sumOf(hit, passage, rarity, lookup));
    if (index % 64 === 0) await yieldIfDue();
  }
  const lowest = scores.slice().sort()[hits.length - most] ?? 0;
  const isKept = new Uint8Array(hits.length);
  // Of the messages with the lowest score, only as many are kept as there is room for.
  let room = most - scores.filter((score) => score > lowest).length;
  for (let index = hits.length - 1; index >= 0; index--) {
    const score = scores[index] ?? 0;
    if (score < lowest || (score === lowest && --room < 0)) continue;
    for (let near = Math.max(0, index - reach); near <= index + reach; near++) isKept[near] = 1;
  }
  return hits.filter((_, index) => isKept[index] === 1);
}

function sumOf({ segment: { data } }: Hit, passage: number, rarity: Float64Array, lookup: Lookup): number {
  const start = passage + PASSAGE_HEAD;
  lookup.find(data, start, start + (data[passage] ?? 0));
  let sum = 0;
  for (let index = 0; index < lookup.terms.length; index++) {
    if (index < lookup.words.length) sum += lookup.met(index) * (rarity[index] ?? 0);
    else if (index >= 2 * lookup.words.length && (lookup.counts[index] ?? 0) > 0) sum += 1;
  }
  return sum;
}

/** Returns the matching passages of a message as documents for the ranker. */
export function documentsOf(
  { segment: { conversationId, data }, start, before, position, passages }: Hit,
  lookup: Lookup,
): readonly MatchedDocument[] {
  const role = data[start + 2] === 1 ? "assistant" : "user";
  return passages.map((passage, index) => {
    const from = passage + PASSAGE_HEAD;
    lookup.find(data, from, from + (data[passage] ?? 0));
    const terms: TermWeight[] = [];
    for (const [at, term] of lookup.terms.entries()) {
      const weight = lookup.counts[at] ?? 0;
      if (weight > 0) terms.push({ term, weight });
    }
    const length = data[passage + 1] ?? 0;
    return { seq: before + index + 1, location: { conversationId, position }, role, terms, length };
  });
}
