import type { Query } from "./query.ts";
import type { TermTable } from "./term-table.ts";

/** Documents match a question equally well if their scores are at least this share of the best score among them. */
const EQUALLY = 0.75;

/**
 * Exchanges scores so that, of the facts that match a question equally well, the latest has the best score: `Where do I
 * live?` finds the last move first. Facts match equally well if they state the same words of the question, more than all
 * other facts, and have similar scores. `scores` has the score of each document, by its row.
 */
export function favourLatest(scores: Float64Array, table: TermTable, { breadth, dates }: Query): void {
  // Not for requests about several things, which count recency otherwise, for questions about a date, and for
  // conversations: what several people said, or said to an assistant, doesn't replace what was said before.
  const { documents, isTalk } = table;
  if (breadth > 0 || dates.size > 0 || isTalk || documents.some(({ role }) => role !== undefined)) return;
  const stated = Float64Array.from(scores, (_, row) => statedShare(row, table));
  const most = stated.reduce((found, share) => Math.max(found, share), 0);
  const rows = [...scores.keys()].filter((row) => most > 0 && stated[row] === most);
  const scoreOf = (row: number) => scores[row] ?? 0;
  const least = EQUALLY * rows.reduce((best, row) => Math.max(best, scoreOf(row)), 0);
  const equal = rows.filter((row) => scoreOf(row) >= least);
  const best = Float64Array.from(equal, scoreOf).sort().reverse();
  const saidAt = (row: number) => documents[row]?.saidAt ?? 0;
  const seq = (row: number) => documents[row]?.seq ?? 0;
  equal.sort((one, other) => saidAt(other) - saidAt(one) || seq(other) - seq(one));
  for (const [place, row] of equal.entries()) scores[row] = best[place] ?? 0;
}

/** Returns how much of a query a document states: the rarity of the words that it contains outside of questions. */
function statedShare(row: number, { words, counts, rarity }: TermTable): number {
  const start = row * 2 * words.length;
  return rarity.reduce((sum, rare, word) => ((counts[start + word] ?? 0) > 0 ? sum + rare : sum), 0);
}
