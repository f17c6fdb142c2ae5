import type { StoredFact } from "../backend/backend.ts";
import { sourceOf } from "../rules/drawn.ts";
import { detailsOf } from "../rules/quotation.ts";
import { isUsersWord } from "../rules/trust.ts";
import type { Candidate } from "./candidates.ts";

export interface Found {
  readonly fact: StoredFact;
  readonly candidate: Candidate;
}

/** A fact of the user's that fits at least this well, beside the best of the user's words, can't be outranked by what isn't. */
const STRONG = 0.5;

/**
 * Puts what the user said before what others concluded: those of the user's facts that fit well come first, beside what the
 * user is quoted with, too, then the rest as they were ranked. So no wording and no score of a fact that isn't the user's word takes the place of one that is.
 */
export function orderByTrust(found: readonly Found[]): readonly Found[] {
  const own = found.filter(({ fact }) => isUsersWord(fact.trust));
  if (own.length === 0 || own.length === found.length) return found;
  const said = found.filter(({ fact }) => isUsersWord(fact.trust) || detailsOf(fact)?.from === "message");
  const best = {
    words: Math.max(...said.map(({ candidate }) => candidate.words)),
    meaning: Math.max(...said.map(({ candidate }) => candidate.meaning)),
  };
  const isStrong = ({ fact, candidate: { words, meaning } }: Found): boolean =>
    isUsersWord(fact.trust) &&
    ((best.words > 0 && words >= STRONG * best.words) ||
      (best.meaning > 0 && meaning >= (1 - STRONG / 5) * best.meaning));
  return [...found.filter(isStrong), ...found.filter((one) => !isStrong(one))];
}

/** The first `limit`, with no more than a share of them from one source that isn't the user's word. */
export function shareOut(found: readonly Found[], limit: number, share: number): readonly Found[] {
  const most = Math.max(1, Math.floor(limit * share));
  const taken = new Map<string, number>();
  const kept: Found[] = [];
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
