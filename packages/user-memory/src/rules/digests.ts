import { createHmac } from "node:crypto";
import type { UserKey } from "../backend/backend.ts";
import { termsOf } from "../recall/index.ts";

/** Hashes of one user's facts: equal facts of two users have different ones. */
export interface Digests {
  /** Names what a fact says, but for case, spaces and the punctuation of sentences. */
  readonly ofFact: (fact: string) => string;
  /** The same for facts of the same words, whatever their order and form; `undefined` for one without words. */
  readonly ofWords: (fact: string) => string | undefined;
  /** Names the words that a fact was drawn from; `undefined` where the place or the words aren't known. */
  readonly ofSource: (source: {
    readonly conversationId: string | null;
    readonly position: number | null;
    readonly evidence: string | null;
  }) => string | undefined;
  /** Of anything. */
  readonly of: (kind: string, text: string) => string;
}

/** Punctuation of sentences at the edge of a word; `#`, `+`, `&` and the like belong to the word. */
const EDGE =
  /(^|\s)[.,;:!?…"'“”‘’«»()[\]{}¿¡。、，；：！？「」]+|[.,;:!?…"'“”‘’«»()[\]{}。、，；：！？「」]+(?=\s|$)/gu;

const sameForm = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replace(EDGE, "$1").replace(/\s+/gu, " ").trim();

/** Who a fact is about goes without saying. */
const SUBJECT = new Set(termsOf("the user's users").map(({ term }) => term));

/** `secret` keeps whoever reads the store from guessing what was forgotten. */
export function digestsOf({ hash }: UserKey, secret = ""): Digests {
  const of = (kind: string, text: string): string =>
    createHmac("sha256", `${hash}:${secret}`).update(`${kind}\0${text}`, "utf8").digest("base64url");
  return {
    of,
    ofFact: (fact) => of("fact", sameForm(fact)),
    ofWords: (fact) => {
      const words = termsOf(sameForm(fact)).flatMap(({ term }) => (SUBJECT.has(term) ? [] : [term]));
      return words.length === 0 ? undefined : of("words", [...new Set(words)].sort().join(" "));
    },
    ofSource: ({ conversationId, position, evidence }) =>
      conversationId === null || position === null || evidence === null
        ? undefined
        : of("source", `${position}\0${conversationId}\0${sameForm(evidence)}`),
  };
}
