import { createHmac } from "node:crypto";
import type { StoredFact, Tombstone, UserKey } from "../backend.ts";
import type { Trust } from "../fact.ts";
import { termsOf } from "../ranker/index.ts";
import { contentOf } from "./facts.ts";
import { wordingOf } from "./quotation.ts";
import { isUsersWord } from "./trust.ts";

/** Makes keyed hashes of one user's facts. Equal facts of two users have different hashes. */
export interface Digests {
  /** Hashes a fact's text. Texts that differ only in case, spaces and sentence punctuation have the same hash. */
  readonly ofFact: (fact: string) => string;
  /** Hashes the set of word stems in a fact. Returns `undefined` if the fact has no words. */
  readonly ofWords: (fact: string) => string | undefined;
  /**
   * Hashes conversation and position of the message that a fact comes from. Returns `undefined` if one of them is
   * unknown.
   */
  readonly ofSource: (source: {
    readonly conversationId: string | null;
    readonly position: number | null;
  }) => string | undefined;
  /** Hashes any text. A text has a different hash for each value of `kind`. */
  readonly of: (kind: string, text: string) => string;
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * Matches punctuation at the beginning or end of a word, but not the signs in `C#`, `@ada`, `100%`, `-5` and the like.
 */
const EDGE = /(^|\s)(?:(?![#@&%])(?!-\d)\p{P})+|(?:(?![#&%*/])\p{P})+(?=\s|$)/gu;

const sameForm = (text: string): string =>
  text.normalize("NFKC").replace(UNSEEN, "").toLowerCase().replace(EDGE, "$1").replace(/\s+/gu, " ").trim();

/** Returns the functions that hash a user's facts, keyed with `secret`. */
export function digestsOf({ hash }: UserKey, secret = ""): Digests {
  // Without the secret, an attacker who can read the storage could find forgotten facts by hashing guesses.
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

/** Returns the digests by which a forgotten fact is recognized: of its text, of its words and of its source message. */
export function tombstoneDigestsOf(fact: FactSource, digests: Digests): readonly string[] {
  const wording = wordingOf(fact);
  const all = [digests.ofFact(wording), digests.ofWords(wording), digests.ofSource(fact)];
  return all.filter((digest) => digest !== undefined);
}

/** The `at` of the tombstone of a fact that a review rejected. It is later than every other time. */
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
  /**
   * The tombstones at the start of this call of `remember`. `undefined`: the call didn't wait for `embed` or `resolve`.
   */
  readonly known: readonly Tombstone[] | undefined;
}

/** Whether tombstones prevent a fact from being stored again. */
export function isBlockedByTombstone(
  tombstones: readonly Tombstone[],
  { trust, extractor, saidAt, known }: TombstoneCheck,
): boolean {
  // A fact without an extractor is only blocked if it was forgotten while this call of `remember` waited for `embed` or
  // `resolve`. A fact from a message of unknown time counts as older than the tombstone.
  const isNew = ({ digest, at }: Tombstone): boolean =>
    known !== undefined && !known.some((other) => other.digest === digest && other.at === at);
  return tombstones.some((tombstone) => {
    if (tombstone.at === PERMANENT) return !isUsersWord(trust);
    if (extractor === null) return isNew(tombstone);
    return saidAt === null || saidAt <= tombstone.at;
  });
}
