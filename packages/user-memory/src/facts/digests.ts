import { createHmac } from "node:crypto";
import type { TermWeight, UserKey } from "../backend/backend.ts";
import { termsOf } from "../ranker/index.ts";

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

/** Who a fact is about goes without saying. */
const SUBJECT = new Set(termsOf("the user's users").map(({ term }) => term));

/** What terms say, but for who it is about, when it was said, and whether it was asked. */
export const contentOf = (terms: readonly TermWeight[]): ReadonlySet<string> =>
  new Set(
    terms
      .map(({ term }) => term.replace(/^\?/, ""))
      .filter((term) => !term.startsWith("@") && !SUBJECT.has(term)),
  );

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
