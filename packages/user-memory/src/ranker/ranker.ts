import { namedAuthors, type Query } from "./query.ts";
import { createScorer, type ScoreParts, type Scorer } from "./scorer.ts";
import type { Matches, MessageLocation } from "./term-index.ts";
import {
  buildTermTable,
  type ConversationLayout,
  type ConversationMessage,
  groupByConversation,
  type Reach,
  type TermTable,
  unmatchedNear,
} from "./term-table.ts";
import { WEIGHTS } from "./weights.ts";

/** The share of the best fit that a document needs for its unmatched neighbours to be scored. */
const WORTH_A_LOOK = 0.25;

/** The reasons for a score. */
export interface Reasons extends ScoreParts {
  /** The words of the query in the document itself, stemmed. */
  readonly terms: readonly string[];
}

/** A document by its `seq`, or, if only its neighbours match, a message by its `location` alone. */
export interface RankedItem {
  readonly seq?: number | undefined;
  readonly location?: MessageLocation | undefined;
  /** Above 0. Only comparable within one ranking. */
  readonly score: number;
  readonly reasons: Reasons;
}

export interface RankOptions {
  /** Maximum number of items. Default 10. Ask for more than you need, since a `location` can have no document. */
  readonly limit?: number | undefined;
}

/**
 * Ranks matches, best first. Words count as in BM25. The messages just before and after a document add to its score, and its
 * conversation a little. The same query and matches, in any order, give the same ranking. Of two equal scores, the later
 * statement comes first, then the one stored later.
 */
export function rank(
  query: Query,
  matches: Matches,
  { limit = 10 }: RankOptions = {},
): readonly RankedItem[] {
  const named = namedAuthors(query, matches.documents);
  const table = buildTermTable(query, matches, named.names);
  const layout = groupByConversation(table);
  const scorer = createScorer({ table, layout, named });
  const scores = new Float64Array(table.documents.length);
  const unmatched = scoreAll(scorer, layout, {
    scores,
    reach: { back: WEIGHTS.before.length, ahead: WEIGHTS.after.length },
  });
  const lowest = lowestOf(scores, unmatched, limit);
  const best = unmatched.filter(({ score }) => score >= lowest);
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] ?? 0;
    if (score >= lowest) best.push({ row, message: layout.ofDocuments[row], score });
  }
  return best
    .sort((one, other) => other.score - one.score || tie(one, other, table))
    .slice(0, limit)
    .map((scored) => toItem(scored, table, scorer));
}

interface Scored {
  /** -1 if no document matches. */
  readonly row: number;
  readonly message: ConversationMessage | undefined;
  readonly score: number;
}

interface ScoreBuffer {
  /** By document. */
  readonly scores: Float64Array;
  readonly reach: Reach;
}

/** Scores every document, and the unmatched messages around those that match well. */
function scoreAll(
  scorer: Scorer,
  { ofDocuments }: ConversationLayout,
  { scores, reach }: ScoreBuffer,
): Scored[] {
  const fits = Float64Array.from(ofDocuments, (message, row) => scorer.fit(row, message));
  const wanted = fits.reduce((most, fit) => Math.max(most, fit), 0) * WORTH_A_LOOK;
  const unmatched: ConversationMessage[] = [];
  for (let row = 0; row < fits.length; row++) {
    const message = ofDocuments[row];
    const fit = fits[row] ?? 0;
    scores[row] = scorer.score(row, message, fit);
    if (message !== undefined && fit >= wanted) unmatched.push(...unmatchedNear(message, reach));
  }
  return unmatched.map((message) => ({
    row: -1,
    message,
    score: scorer.score(-1, message, scorer.fit(-1, message)),
  }));
}

/** Returns the lowest score within the limit, above 0. Sorting numbers is much cheaper than sorting candidates. */
function lowestOf(scores: Float64Array, unmatched: readonly Scored[], limit: number): number {
  if (limit < 1) return Number.POSITIVE_INFINITY;
  const sorted = new Float64Array(scores.length + unmatched.length);
  sorted.set(scores);
  for (let index = 0; index < unmatched.length; index++)
    sorted[scores.length + index] = unmatched[index]?.score ?? 0;
  sorted.sort();
  return Math.max(sorted[sorted.length - limit] ?? 0, Number.MIN_VALUE);
}

/** Orders equal scores. Documents come before messages without one, which only need a stable order. */
function tie(one: Scored, other: Scored, { documents }: TermTable): number {
  const [mine, theirs] = [documents[one.row], documents[other.row]];
  if (mine !== undefined && theirs !== undefined) {
    return (theirs.saidAt ?? 0) - (mine.saidAt ?? 0) || theirs.seq - mine.seq;
  }
  if (mine !== undefined || theirs !== undefined) return mine === undefined ? 1 : -1;
  const [here, there] = [locationOf(one), locationOf(other)];
  if (here?.conversationId !== there?.conversationId) {
    return (here?.conversationId ?? "") < (there?.conversationId ?? "") ? -1 : 1;
  }
  return (there?.position ?? 0) - (here?.position ?? 0);
}

const locationOf = ({ message }: Scored): MessageLocation | undefined =>
  message && { conversationId: message.conversation.conversationId, position: message.position };

function toItem(scored: Scored, { documents, words, counts }: TermTable, scorer: Scorer): RankedItem {
  const { row, score } = scored;
  const start = row * 2 * words.length;
  const holds = (slot: number) => row >= 0 && (counts[start + slot] ?? 0) > 0;
  const terms = words.filter((_, word) => holds(word) || holds(words.length + word));
  const location = locationOf(scored);
  const item = { score, reasons: { terms, ...scorer.parts(row, scored.message) } };
  const located = location === undefined ? item : { location, ...item };
  const document = documents[row];
  return document === undefined ? located : { seq: document.seq, ...located };
}
