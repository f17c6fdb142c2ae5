import { namedAuthors } from "./authors.ts";
import { type Evidence, readEvidence } from "./evidence.ts";
import type { Matches, Place } from "./matches.ts";
import type { Query } from "./query.ts";
import { type Candidate, createScorer, type ScoreParts, type Scorer } from "./scorer.ts";
import { layOut } from "./spots.ts";
import { defaultWeights, type RankingWeights } from "./weights.ts";

/** Why something stands where it does. */
export interface Reasons extends ScoreParts {
  /** The words of the query that the document itself holds, stemmed. */
  readonly terms: readonly string[];
}

/** A document by its `seq`; or, where nothing matches but what stands next to it, a message by its `place` alone. */
export interface RankedItem {
  readonly seq?: number | undefined;
  readonly place?: Place | undefined;
  /** Above 0. Comparable within one ranking only. */
  readonly score: number;
  readonly reasons: Reasons;
}

export interface RankOptions {
  /** At most so many, default 10. Ask for more than you need: at a `place` there may be no document. */
  readonly limit?: number | undefined;
  /** Absent: {@link defaultWeights}. */
  readonly weights?: Partial<RankingWeights> | undefined;
}

/**
 * Ranks what an index found, best first. A word counts as in BM25, whatever the length of the document; a document also
 * counts for what is said just before and after it, and a little for what its conversation is about. The same query and
 * matches, in whatever order, give the same ranking: of two with one score, the later said comes first, then the one
 * stored later.
 */
export function rank(query: Query, matches: Matches, options: RankOptions = {}): readonly RankedItem[] {
  const weights = { ...defaultWeights, ...options.weights };
  const named = namedAuthors(query, matches.documents);
  const evidence = readEvidence(query, matches, { names: named.names, exponent: weights.rarity });
  const spots = layOut(evidence, { back: weights.before.length, ahead: weights.after.length });
  const scorer = createScorer({ evidence, spots, named, weights });
  const candidates = [
    ...spots.ofDocuments.map((spot, row) => ({ row, spot })),
    ...spots.between.map((spot) => ({ row: -1, spot })),
  ];
  const compare = (one: Scored, other: Scored) => other.score - one.score || tie(one, other, evidence);
  return best(candidates, scorer, options.limit ?? 10)
    .sort(compare)
    .slice(0, options.limit ?? 10)
    .map((scored) => toItem(scored, evidence, scorer));
}

interface Scored extends Candidate {
  readonly score: number;
}

/** Those that are among the first, and those that have the score of the last of them. */
function best(candidates: readonly Candidate[], scorer: Scorer, limit: number): Scored[] {
  if (limit < 1) return [];
  const scores = Float64Array.from(candidates, scorer.score);
  // Sorting thousands of candidates costs more than scoring them, sorting numbers little.
  const lowest = Math.max(scores.slice().sort()[scores.length - limit] ?? 0, Number.MIN_VALUE);
  return candidates.flatMap((candidate, index) => {
    const score = scores[index] ?? 0;
    return score >= lowest ? [{ ...candidate, score }] : [];
  });
}

/** Documents come before places without one, whose order only has to be always the same. */
function tie(one: Candidate, other: Candidate, { documents }: Evidence): number {
  const [mine, theirs] = [documents[one.row], documents[other.row]];
  if (mine !== undefined && theirs !== undefined) {
    return (theirs.saidAt ?? 0) - (mine.saidAt ?? 0) || theirs.seq - mine.seq;
  }
  if (mine !== undefined || theirs !== undefined) return mine === undefined ? 1 : -1;
  const [here, there] = [placeOf(one), placeOf(other)];
  if (here?.conversationId !== there?.conversationId) {
    return (here?.conversationId ?? "") < (there?.conversationId ?? "") ? -1 : 1;
  }
  return (there?.position ?? 0) - (here?.position ?? 0);
}

const placeOf = ({ spot }: Candidate): Place | undefined =>
  spot && { conversationId: spot.conversation.conversationId, position: spot.position };

function toItem(scored: Scored, { documents, words, counts }: Evidence, scorer: Scorer): RankedItem {
  const { row, score } = scored;
  const start = row * 2 * words.length;
  const holds = (slot: number) => row >= 0 && (counts[start + slot] ?? 0) > 0;
  const terms = words.filter((_, word) => holds(word) || holds(words.length + word));
  const place = placeOf(scored);
  const item = { score, reasons: { terms, ...scorer.parts(scored) } };
  const placed = place === undefined ? item : { place, ...item };
  const document = documents[row];
  return document === undefined ? placed : { seq: document.seq, ...placed };
}
