import type { Trust } from "../fact.ts";

const RANKS: Readonly<Record<Trust, number>> = { external: 0, inferred: 1, confirmed: 2, stated: 3 };

/** The higher, the more trusted. */
export const trustRank = (trust: Trust): number => RANKS[trust];

/** Whether the user said it, or agreed to it. */
export const isUsersWord = (trust: Trust): boolean => trust === "stated" || trust === "confirmed";

/** Whether a fact may take the place of another: the user's own word counts the same, however it was given. */
export const mayReplace = (newer: Trust, older: Trust): boolean =>
  isUsersWord(newer) || (!isUsersWord(older) && trustRank(newer) >= trustRank(older));
