import { createHmac } from "node:crypto";
import type { StoredFact, Tombstone, UserKey } from "../backend.ts";
import type { Trust } from "../fact.ts";
import { termsOf } from "../ranker/index.ts";
import { contentOf } from "./facts.ts";
import { wordingOf } from "./quotation.ts";
import { isUsersWord } from "./trust.ts";

/** Hashes of one user's facts: equal facts of two users have different ones. */
export interface Digests {
  /** Names what a fact says, but for case, spaces and the punctuation of sentences. */
  readonly ofFact: (fact: string) => string;
  /** The same for facts of the same words, whatever their order and form; `undefined` for one without words. */
  readonly ofWords: (fact: string) => string | undefined;
  /** Names the message that a fact was extracted from; `undefined` where it isn't known. */
  readonly ofSource: (source: {
    readonly conversationId: string | null;
    readonly position: number | null;
  }) => string | undefined;
  /** Of anything. */
  readonly of: (kind: string, text: string) => string;
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/** Punctuation at the edge of a word, but for what belongs to one: `C#`, `@ada`, `100%`, `-5`. */
const EDGE = /(^|\s)(?:(?![#@&%])(?!-\d)\p{P})+|(?:(?![#&%*/])\p{P})+(?=\s|$)/gu;

const sameForm = (text: string): string =>
  text.normalize("NFKC").replace(UNSEEN, "").toLowerCase().replace(EDGE, "$1").replace(/\s+/gu, " ").trim();

/** `secret` keeps whoever reads the store from guessing what was forgotten. */
export function digestsOf({ hash }: UserKey, secret = ""): Digests {
  const of = (kind: string, text: string): string =>
    createHmac("sha256", `${hash}:${secret}`).update(`${kind}\0${text}`, "utf8").digest("base64url");
  return {
    of,
    ofFact: (fact) => of("fact", sameForm(fact)),
    ofWords: (fact) => {
      const words = contentOf(termsOf(sameForm(fact)));
      return words.size === 0 ? undefined : of("words", [...words].sort().join(" "));
    },
    ofSource: ({ conversationId, position }) =>
      conversationId === null || position === null
        ? undefined
        : of("source", `${position}\0${conversationId}`),
  };
}

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
