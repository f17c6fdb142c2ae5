import type { StoredFact } from "../backend.ts";
import type { Trust } from "../fact.ts";

const RANKS: Readonly<Record<Trust, number>> = { external: 0, inferred: 1, confirmed: 2, stated: 3 };

/** Returns the rank of a trust. Higher is more trusted. */
export const trustRank = (trust: Trust): number => RANKS[trust];

/** Whether the user stated or confirmed the fact. */
export const isUsersWord = (trust: Trust): boolean => trust === "stated" || trust === "confirmed";

/** Whether a fact can replace another by trust. Stated and confirmed count the same. */
export const mayReplace = (newer: Trust, older: Trust): boolean =>
  isUsersWord(newer) || (!isUsersWord(older) && trustRank(newer) >= trustRank(older));

export type Source = Pick<StoredFact, "conversationId" | "extractor">;

/** Returns the source of an inferred or external fact: its conversation, otherwise its extractor. */
export const sourceOf = ({ conversationId, extractor }: Source): string =>
  conversationId === null ? `by ${extractor ?? ""}` : `in ${conversationId}`;

/** The outcome for a fact that contradicts others. */
export type Supersession =
  /** It supersedes those that it outranks; if there is a later statement, it is superseded itself, `by` that. */
  | {
      readonly kind: "accepted";
      readonly replaces: readonly StoredFact[];
      readonly by: StoredFact | undefined;
    }
  /** It isn't trusted enough to supersede what the user said. */
  | { readonly kind: "conflict"; readonly with: StoredFact };

/**
 * Decides what becomes of a fact and of those that it contradicts. Returns `"conflict"` if one of those that are valid at or
 * after the fact's `validFrom` has a trust that the fact's may not replace. Otherwise `"accepted"`: `replaces` are the facts
 * that it supersedes, and `by` is the next fact that is valid from a later time and trusted enough to supersede it. It is the
 * time from which a fact is valid that decides, not when it was said.
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

/** Whether the fact ends after the time, or not at all. */
const holdsAfter = ({ supersededAt, validUntil }: StoredFact, time: number): boolean =>
  (supersededAt === null || supersededAt > time) && (validUntil === null || validUntil > time);
