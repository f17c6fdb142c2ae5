import type { StoredFact } from "../backend.ts";
import { detailsOf } from "../facts/quotation.ts";
import { isUsersWord, sourceOf } from "../facts/trust.ts";
import type { Candidate } from "./candidates.ts";

export interface Found {
  readonly fact: StoredFact;
  readonly candidate: Candidate;
}

/** A statement of the user comes first if its score by words is at least this share of the best score by words. */
// For the best score, facts that the user stated or confirmed and quotations of short messages count.
const STRONG = 0.5;

type Fit = Pick<Candidate, "words" | "meaning">;

/**
 * Returns two minimum scores. A statement of the user comes first if it reaches the one by words or the one by meaning.
 */
function strongFit(found: readonly Found[]): Fit {
  const said = found.filter(({ fact }) => isUsersWord(fact.trust) || detailsOf(fact)?.from === "message");
  const best = (scores: readonly number[]): number => Math.max(0, ...scores);
  return {
    words: STRONG * best(said.map(({ candidate }) => candidate.words)),
    meaning: (1 - STRONG / 5) * best(said.map(({ candidate }) => candidate.meaning)),
  };
}

const fits = ({ words, meaning }: Fit, strong: Fit): boolean =>
  (words > 0 && words >= strong.words) || (meaning > 0 && meaning >= strong.meaning);

/**
 * Puts facts first that the user stated or confirmed and that match the query well. All other facts follow, in their
 * order.
 */
export function orderByTrust<T extends Found>(found: readonly T[]): readonly T[] {
  const own = found.filter(({ fact }) => isUsersWord(fact.trust));
  if (own.length === 0 || own.length === found.length) return found;
  const strong = strongFit(found);
  const isStrong = ({ fact, candidate }: T): boolean => isUsersWord(fact.trust) && fits(candidate, strong);
  return [...found.filter(isStrong), ...found.filter((one) => !isStrong(one))];
}

/** Whether an unread candidate matches so well that it would come first if it were a statement of the user. */
export function mayComeFirst(unread: readonly Candidate[], found: readonly Found[]): boolean {
  const strong = strongFit(found);
  return unread.some((candidate) => fits(candidate, strong));
}

/**
 * Returns the first `limit` facts, with at most `limit * share` inferred and external facts from one source, but at
 * least one.
 */
export function limitSourceShare<T extends Found>(
  found: readonly T[],
  limit: number,
  share: number,
): readonly T[] {
  // A source is a conversation or, if the conversation is unknown, an extractor. Quotations aren't limited.
  const most = Math.max(1, Math.floor(limit * share));
  const taken = new Map<string, number>();
  const kept: T[] = [];
  for (const one of found) {
    if (kept.length === limit) break;
    if (!isUsersWord(one.fact.trust) && one.fact.quotation === null) {
      const source = sourceOf(one.fact);
      const count = taken.get(source) ?? 0;
      if (count === most) continue;
      taken.set(source, count + 1);
    }
    kept.push(one);
  }
  return kept;
}
