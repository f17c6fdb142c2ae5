import type { Trust } from "../../fact.ts";
import { isCarried } from "./carried.ts";
import { type Token, tokensOfFact } from "./person.ts";
import { type Place, placesOf } from "./places.ts";
import { isRetracted, isUnwanted } from "./requests.ts";
import { isContinued, isUndisturbed, scopesIn } from "./scopes.ts";
import { isStated } from "./stated.ts";
import { readUtterances, type Sentence, type Utterance } from "./utterance.ts";
import { normalised, type Word, wordsOf } from "./words.ts";

/** A fact that somebody proposes, and the words of the user's that it is to come from. */
export interface Proposal {
  readonly fact: string;
  /** Absent or empty: whoever proposes it gave none. */
  readonly evidence?: string | undefined;
}

/** Whose word a proposed fact is. */
export type Verdict =
  | {
      readonly kind: "kept";
      readonly trust: Exclude<Trust, "confirmed">;
      /** It waits for somebody's decision. */
      readonly quarantine?: "external" | "ungrounded";
      /** The user's words, as they stand in the message. */
      readonly evidence: string;
      /** Index of the message among those said. */
      readonly message: number;
    }
  | {
      readonly kind: "refused";
      /** The words it is to come from weren't said; it says nothing; or the user asked not to keep it. */
      readonly reason: "no-evidence" | "empty" | "unwanted";
    };

/** Decides about proposals by what the user said in one turn. */
export type Judge = (proposal: Proposal) => Verdict;

/** In words; longer evidence is no quotation of something. */
const MAX_EVIDENCE = 400;
/** In words; a longer one is more than one fact, and is never taken for true. */
const MAX_FACT = 100;

/** What a turn says, all its messages together. */
interface Turn {
  readonly utterances: readonly Utterance[];
  /** The forms of all of the user's own words. */
  readonly forms: ReadonlySet<string>;
  readonly isUnwanted: boolean;
  readonly isRetracted: boolean;
}

/**
 * The rules of what may be drawn from a turn. They look at words alone, never at who proposes or how sure it is:
 *
 * - Evidence has to stand in the user's messages, but for case, spaces and punctuation; else the fact is refused.
 * - In quoted, pasted or forwarded text, or behind `the page says`, it is somebody else's word: `external`.
 * - `stated`: the user said the fact word for word, but for person, in a whole clause that is no question or condition.
 * - `inferred`: the user's words carry it; see {@link isCarried}.
 * - Anything else with evidence is `ungrounded`; without evidence it is refused.
 */
export function createJudge(said: readonly string[]): Judge {
  const turn = turnOf(readUtterances(said));
  return ({ fact, evidence = "" }) => {
    const words = wordsOf(normalised(fact));
    if (words.length === 0) return { kind: "refused", reason: "empty" };
    const tokens = tokensOfFact(words);
    const quoted = wordsOf(normalised(evidence)).slice(0, MAX_EVIDENCE);
    const verdicts =
      quoted.length === 0
        ? withoutEvidence(tokens, turn)
        : placesOf(quoted, turn.utterances).map((place) => judgeAt(tokens, place, turn));
    const verdict = best(verdicts);
    return turn.isUnwanted && verdict.kind === "kept" ? { kind: "refused", reason: "unwanted" } : verdict;
  };
}

function turnOf(utterances: readonly Utterance[]): Turn {
  const sentences = utterances.flatMap((utterance) => utterance.sentences);
  return {
    utterances,
    forms: new Set(sentences.flatMap(({ words }) => words.map(({ form }) => form))),
    isUnwanted: isUnwanted(utterances),
    isRetracted: isRetracted(utterances),
  };
}

const RANKS = ["stated", "inferred", "ungrounded", "external"] as const;

function best(verdicts: readonly Verdict[]): Verdict {
  const ranked = verdicts.flatMap((verdict) => (verdict.kind === "kept" ? [verdict] : []));
  const rank = (verdict: (typeof ranked)[number]): number =>
    RANKS.indexOf(verdict.quarantine ?? verdict.trust);
  return ranked.sort((a, b) => rank(a) - rank(b))[0] ?? { kind: "refused", reason: "no-evidence" };
}

function judgeAt(fact: readonly Token[], { utterance, message, words, isOwn }: Place, turn: Turn): Verdict {
  const evidence = textOf(utterance, words);
  if (!isOwn) return { kind: "kept", trust: "external", quarantine: "external", evidence, message };
  const quoted = new Set(words);
  const touched = utterance.sentences.filter((sentence) => sentence.words.some((word) => quoted.has(word)));
  const trusts = touched.map((sentence) => trustOf(fact, { sentence, words: quoted, turn, added: 1 }));
  const trust = trusts.includes("stated") ? "stated" : trusts.find((one) => one !== undefined);
  return trust === undefined
    ? { kind: "kept", trust: "inferred", quarantine: "ungrounded", evidence, message }
    : { kind: "kept", trust, evidence, message };
}

function withoutEvidence(fact: readonly Token[], turn: Turn): readonly Verdict[] {
  return turn.utterances.flatMap((utterance, message) =>
    utterance.sentences.flatMap((sentence): Verdict[] => {
      const { words } = sentence;
      const trust = trustOf(fact, { sentence, words: new Set(words), turn, added: 0 });
      return trust === undefined
        ? []
        : [{ kind: "kept", trust, evidence: textOf(utterance, words), message }];
    }),
  );
}

interface Asked {
  readonly sentence: Sentence;
  /** Those of the evidence. */
  readonly words: ReadonlySet<Token>;
  readonly turn: Turn;
  readonly added: 0 | 1;
}

function trustOf(fact: readonly Token[], { sentence, words, turn, added }: Asked) {
  if (turn.isRetracted || fact.length > MAX_FACT) return undefined;
  if (isStated(fact, sentence)) return "stated";
  const isFound =
    isContinued(fact, sentence) ||
    scopesIn(sentence, words).some(
      (scope) => isCarried(fact, scope, { turn: turn.forms, added }) && isUndisturbed(fact, scope, sentence),
    );
  return isFound ? "inferred" : undefined;
}

function textOf({ text }: Utterance, words: readonly Word[]): string {
  const start = words[0]?.start ?? 0;
  return text.slice(start, words.at(-1)?.end ?? start);
}
