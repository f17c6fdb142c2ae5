import type { StoredFact } from "../backend.ts";
import type { Trust } from "../fact.ts";

const RANKS: Readonly<Record<Trust, number>> = { external: 0, inferred: 1, confirmed: 2, stated: 3 };

/** Returns the rank of a trust. A higher rank means more trust. */
export const trustRank = (trust: Trust): number => RANKS[trust];

/** Whether a fact with this trust was stated or confirmed by the user. */
export const isUsersWord = (trust: Trust): boolean => trust === "stated" || trust === "confirmed";

/** Whether a fact with the trust `newer` can replace a fact with the trust `older`. */
export const mayReplace = (newer: Trust, older: Trust): boolean =>
  isUsersWord(newer) || (!isUsersWord(older) && trustRank(newer) >= trustRank(older));

export type Source = Pick<StoredFact, "conversationId" | "extractor">;

/**
 * Returns a name for the source of an inferred or external fact: its conversation, or its extractor if the conversation
 * is unknown.
 */
export const sourceOf = ({ conversationId, extractor }: Source): string =>
  conversationId === null ? `by ${extractor ?? ""}` : `in ${conversationId}`;

/** What becomes of a new fact that contradicts stored facts. */
export type Supersession =
  /**
   * The new fact is stored and supersedes the facts in `replaces`. `by` is the later fact that supersedes the new fact,
   * if there is one.
   */
  | {
      readonly kind: "accepted";
      readonly replaces: readonly StoredFact[];
      readonly by: StoredFact | undefined;
    }
  /** The new fact isn't trusted enough to supersede the fact `with`, which has more trust. */
  | { readonly kind: "conflict"; readonly with: StoredFact };

/** Decides what becomes of a new fact that contradicts stored facts. A fact is later if its `validFrom` is later. */
export function supersessionOf(
  fact: Pick<StoredFact, "trust" | "validFrom">,
  contradicted: readonly StoredFact[],
): Supersession {
  // `"conflict"`: a contradicted fact is true after the new fact's `validFrom`, and has too much trust. `by`: the first
  // later contradicted fact with enough trust to supersede the new fact.
  const overlapping = contradicted.filter((other) => holdsAfter(other, fact.validFrom));
  const better = overlapping.find(({ trust }) => !mayReplace(fact.trust, trust));
  if (better !== undefined) return { kind: "conflict", with: better };
  const isLater = ({ trust, validFrom }: StoredFact): boolean =>
    validFrom > fact.validFrom && mayReplace(trust, fact.trust);
  const [by] = contradicted.filter(isLater).sort((a, b) => a.validFrom - b.validFrom);
  const replaces = overlapping.filter(
    (other) => !isLater(other) && (other.validFrom <= fact.validFrom || other.supersededAt === null),
  );
  return { kind: "accepted", replaces, by };
}

/** Whether a fact is still true after `time`: the fact has no end, or it ends later than `time`. */
const holdsAfter = ({ supersededAt, validUntil }: StoredFact, time: number): boolean =>
  (supersededAt === null || supersededAt > time) && (validUntil === null || validUntil > time);
