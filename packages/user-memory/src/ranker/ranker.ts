import { CONSIDERED, coverMessages, coverMore } from "./cover.ts";
import { favourLatest } from "./latest.ts";
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

/**
 * Minimum score by words, as a share of the highest score by words of all documents. If a document (a fact, or a
 * passage of a message) has this score, the messages just before and after it in the conversation are ranked too, even
 * if none of their documents matches.
 */
const WORTH_A_LOOK = 0.25;

/** The reasons for a document's score. */
export interface Reasons extends ScoreParts {
  /** The words of the query that the document itself contains, as stems. */
  readonly terms: readonly string[];
}

/** An item of a ranking: a document with its `seq`, or a message without a matching document, with its `location`. */
export interface RankedItem {
  readonly seq?: number | undefined;
  readonly location?: MessageLocation | undefined;
  /** How well the item matches, above 0. Scores of different rankings can't be compared. */
  readonly score: number;
  readonly reasons: Reasons;
}

export interface RankOptions {
  /** Maximum number of items, including items without `seq`. Default 10. */
  readonly limit?: number | undefined;
}

/** Ranks the matches of a query, best first. The order of `documents` in the matches doesn't matter. */
export function rank(
  query: Query,
  matches: Matches,
  { limit = 10 }: RankOptions = {},
): readonly RankedItem[] {
  // Words count as in BM25. Of two equal scores, the later statement comes first, then the document that was stored
  // later.
  const named = namedAuthors(query, matches.documents);
  const table = buildTermTable(query, matches, named.names);
  const layout = groupByConversation(table);
  const scorer = createScorer({ table, layout, named, breadth: query.breadth });
  const scores = new Float64Array(table.documents.length);
  const unmatched = scoreAll(scorer, layout, {
    scores,
    reach: { back: WEIGHTS.before.length, ahead: WEIGHTS.after.length },
  });
  favourLatest(scores, table, query);
  const lowest = lowestOf(scores, unmatched, Math.max(limit, CONSIDERED));
  const best = unmatched.filter(({ score }) => score >= lowest);
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] ?? 0;
    if (score >= lowest) best.push({ row, message: layout.ofDocuments[row], score });
  }
  best.sort((one, other) => other.score - one.score || tie(one, other, table));
  return coverMore(coverMessages(best), query.breadth)
    .slice(0, limit)
    .map((scored) => toItem(scored, table, scorer));
}

/** The score of a document, or of a message without a matching document. */
interface Scored {
  /** The document's row in the term table, or -1 for a message without a matching document. */
  readonly row: number;
  /** The message, or the message that the document comes from. `undefined` if the document has no location. */
  readonly message: ConversationMessage | undefined;
  readonly score: number;
}

interface ScoreBuffer {
  /** The score of each document, by the document's row in the term table. */
  readonly scores: Float64Array;
  readonly reach: Reach;
}

/**
 * Writes the score of every document to `scores`. Returns the messages without a match that are near well-matching
 * documents.
 */
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

/** Returns the lowest score among the best `limit` items, but never 0. */
function lowestOf(scores: Float64Array, unmatched: readonly Scored[], limit: number): number {
  // Sorting numbers is much cheaper than sorting items.
  if (limit < 1) return Number.POSITIVE_INFINITY;
  const sorted = new Float64Array(scores.length + unmatched.length);
  sorted.set(scores);
  for (let index = 0; index < unmatched.length; index++)
    sorted[scores.length + index] = unmatched[index]?.score ?? 0;
  sorted.sort();
  return Math.max(sorted[sorted.length - limit] ?? 0, Number.MIN_VALUE);
}

/** Compares two items with equal scores. Documents come before messages without a matching document. */
function tie(one: Scored, other: Scored, { documents }: TermTable): number {
  // The order of two messages doesn't matter, but must be fixed.
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
