import type { StoredFact } from "../backend.ts";
import { detailsOf } from "../facts/quotation.ts";
import { isUsersWord, sourceOf } from "../facts/trust.ts";
import type { Candidate } from "./candidates.ts";

export interface Found {
  readonly fact: StoredFact;
  readonly candidate: Candidate;
}

/** A fact of the user's that fits at least this well, beside the best of the user's words, can't be outranked by what isn't. */
const STRONG = 0.5;

type Fit = Pick<Candidate, "words" | "meaning">;

/** How well a fact of the user's has to fit to come first. */
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
 * Puts what the user said before what others concluded: those of the user's facts that fit well come first, beside what the
 * user is quoted with, too, then the rest as they were ranked. So no wording and no score of a fact that isn't the user's word takes the place of one that is.
 */
export function orderByTrust<T extends Found>(found: readonly T[]): readonly T[] {
  const own = found.filter(({ fact }) => isUsersWord(fact.trust));
  if (own.length === 0 || own.length === found.length) return found;
  const strong = strongFit(found);
  const isStrong = ({ fact, candidate }: T): boolean => isUsersWord(fact.trust) && fits(candidate, strong);
  return [...found.filter(isStrong), ...found.filter((one) => !isStrong(one))];
}

/** Whether one of the candidates that weren't read may come first once it is. */
export function mayComeFirst(unread: readonly Candidate[], found: readonly Found[]): boolean {
  const strong = strongFit(found);
  return unread.some((candidate) => fits(candidate, strong));
}

/** The first `limit`, with no more than a share of them from one source that isn't the user's word. */
export function limitSourceShare<T extends Found>(
  found: readonly T[],
  limit: number,
  share: number,
): readonly T[] {
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
