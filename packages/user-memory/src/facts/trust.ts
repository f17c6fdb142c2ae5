import type { StoredFact } from "../backend.ts";
import type { Trust } from "../fact.ts";

const RANKS: Readonly<Record<Trust, number>> = { external: 0, inferred: 1, confirmed: 2, stated: 3 };

/** Returns the rank of a trust. A higher rank means more trust. */
export const trustRank = (trust: Trust): number => RANKS[trust];

/** Whether a fact with this trust was stated or confirmed by the user. */
export const isUsersWord = (trust: Trust): boolean => trust === "stated" || trust === "confirmed";

/**
 * Whether a fact with the trust `newer` can replace a fact with the trust `older`. `"stated"` and `"confirmed"` count as
 * equal.
 */
export const mayReplace = (newer: Trust, older: Trust): boolean =>
  isUsersWord(newer) || (!isUsersWord(older) && trustRank(newer) >= trustRank(older));

export type Source = Pick<StoredFact, "conversationId" | "extractor">;

/**
 * Returns a name for the source of an inferred or external fact: its conversation, or its extractor if the conversation is
 * unknown.
 */
export const sourceOf = ({ conversationId, extractor }: Source): string =>
  conversationId === null ? `by ${extractor ?? ""}` : `in ${conversationId}`;

/** What becomes of a new fact that contradicts stored facts. */
export type Supersession =
  /**
   * The new fact is stored and supersedes the facts in `replaces`. If `by` is set, the fact `by` is true from a later time on
   * and supersedes the new fact.
   */
  | {
      readonly kind: "accepted";
      readonly replaces: readonly StoredFact[];
      readonly by: StoredFact | undefined;
    }
  /** The new fact isn't trusted enough to supersede the fact `with`, which has more trust. */
  | { readonly kind: "conflict"; readonly with: StoredFact };

/**
 * Decides what becomes of a new fact that contradicts stored facts. A fact is later than another fact if its
 * `validFrom` is later, even if it was said earlier.
 *
 * - `"conflict"`: one of the contradicted facts (`with`) is true at some time after the new fact's `validFrom`, and the
 *   new fact isn't trusted enough to replace it.
 * - `"accepted"`: the new fact supersedes the facts in `replaces`. If a later contradicted fact is trusted enough to
 *   supersede the new fact, `by` is the first such fact.
 */
export function supersessionOf(
  fact: Pick<StoredFact, "trust" | "validFrom">,
  contradicted: readonly StoredFact[],
): Supersession {
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
