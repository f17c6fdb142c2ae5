import { createHmac } from "node:crypto";
import type { StoredFact, Tombstone, UserKey } from "../backend.ts";
import type { Trust } from "../fact.ts";
import { termsOf } from "../ranker/index.ts";
import { contentOf } from "./facts.ts";
import { wordingOf } from "./quotation.ts";
import { isUsersWord } from "./trust.ts";

/** Hashes of one user's facts. Equal facts of two users have different hashes. */
export interface Digests {
  /** Hashes a fact's text without case, spaces and sentence punctuation. */
  readonly ofFact: (fact: string) => string;
  /** Hashes the set of stems, so word order and word forms don't matter. `undefined` without words. */
  readonly ofWords: (fact: string) => string | undefined;
  /** Hashes the location of the source message; `undefined` if unknown. */
  readonly ofSource: (source: {
    readonly conversationId: string | null;
    readonly position: number | null;
  }) => string | undefined;
  /** Hashes any text. */
  readonly of: (kind: string, text: string) => string;
}

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/** Punctuation at the edge of a word, except in `C#`, `@ada`, `100%`, `-5` and the like. */
const EDGE = /(^|\s)(?:(?![#@&%])(?!-\d)\p{P})+|(?:(?![#&%*/])\p{P})+(?=\s|$)/gu;

const sameForm = (text: string): string =>
  text.normalize("NFKC").replace(UNSEEN, "").toLowerCase().replace(EDGE, "$1").replace(/\s+/gu, " ").trim();

/** With a `secret`, readers of the store can't guess forgotten facts. */
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

/** Returns the digests that recognize a forgotten fact: of its text, its words and its source. */
export function tombstoneDigestsOf(fact: FactSource, digests: Digests): readonly string[] {
  const wording = wordingOf(fact);
  const all = [digests.ofFact(wording), digests.ofWords(wording), digests.ofSource(fact)];
  return all.filter((digest) => digest !== undefined);
}

/** The time in the tombstone of a rejected fact, which never ends. */
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
  /** The tombstones at the start of the call, if the call has waited since. */
  readonly known: readonly Tombstone[] | undefined;
}

/**
 * Whether a fact stays forgotten: it was extracted from older messages, or it was forgotten while the call was waiting. A
 * rejected fact only comes back if the user states or confirms it.
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
