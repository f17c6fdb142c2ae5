import type { StoredFact, Tombstone } from "../backend/backend.ts";
import type { Trust } from "../fact.ts";
import type { Digests } from "../facts/digests.ts";
import { wordingOf } from "../facts/quotation.ts";
import { isUsersWord } from "../facts/trust.ts";

type FactSource = Pick<StoredFact, "fact" | "quotation" | "conversationId" | "position">;

/** By what a forgotten fact is recognised: what it says, its words, and where it was extracted from. */
export function tombstoneDigestsOf(fact: FactSource, digests: Digests): readonly string[] {
  const wording = wordingOf(fact);
  const all = [digests.ofFact(wording), digests.ofWords(wording), digests.ofSource(fact)];
  return all.filter((digest) => digest !== undefined);
}

/** The time of a tombstone that never ends: somebody has rejected the fact. */
const PERMANENT = Number.MAX_SAFE_INTEGER;

interface TombstoneOptions {
  readonly digests: Digests;
  readonly at: number;
  readonly rejects: boolean;
}

export const tombstonesFor = (
  fact: StoredFact,
  { digests, at, rejects }: TombstoneOptions,
): readonly Tombstone[] =>
  rejects
    ? [{ digest: digests.ofFact(wordingOf(fact)), at: PERMANENT }]
    : tombstoneDigestsOf(fact, digests).map((digest) => ({ digest, at }));

interface TombstoneCheck {
  readonly trust: Trust;
  readonly extractor: string | null;
  readonly saidAt: number | null;
  /** The tombstones that there were when the call began, if it has waited since. */
  readonly known: readonly Tombstone[] | undefined;
}

/**
 * Whether a fact stays forgotten: it was extracted from what was said before, or it was forgotten while the call was waiting.
 * What was rejected comes back by the user's word alone.
 */
export function isBlockedByTombstone(
  tombstones: readonly Tombstone[],
  { trust, extractor, saidAt, known }: TombstoneCheck,
): boolean {
  const isNew = ({ digest, at }: Tombstone): boolean =>
    known !== undefined && !known.some((other) => other.digest === digest && other.at === at);
  return tombstones.some((tombstone) => {
    if (tombstone.at === PERMANENT) return !isUsersWord(trust);
    if (extractor === null) return isNew(tombstone);
    return saidAt === null || saidAt <= tombstone.at;
  });
}
