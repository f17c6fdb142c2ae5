import type { Trust } from "../../fact.ts";
import { isCarried } from "./carried.ts";
import { type Token, tokensOfFact, tokensSaid } from "./person.ts";
import { isContinued, scopesIn } from "./scopes.ts";
import { isStated } from "./stated.ts";
import { readUtterance, type Sentence, type Utterance } from "./utterance.ts";
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

/** Evidence may be found at so many places. */
const MAX_PLACES = 20;
/** In words; longer evidence is no quotation of something. */
const MAX_EVIDENCE = 400;

/** Asked of the assistant: `I don't remember names` and `don't forget that …` aren't. */
const UNWANTED =
  /(?<![\p{L}\p{N}])(?:(?<!(?:i|we|they|he|she|who|you) )(?:do not|don['’]?t|never)\s(?:remember|save|store|keep|memori[sz]e|note|record)|no need to (?:remember|save|store|keep|note)|(?<!(?:i|we|they|he|she|who|not|never|n['’]t|dont|to) )forget (?:that|what|this|about|it|everything)|off the record|(?:merk|speicher)\p{L}* (?:dir )?(?:das |es |bitte )*nicht|vergiss(?! nicht)|ne (?:retiens|mémorise|enregistre|note|garde)|(?<!n['’])oublie(?! pas)|no (?:recuerdes|guardes|memorices)|(?<!no )olvida)(?![\p{L}\p{N}])|不要记|别记|不要保存|忘掉|覚えないで|忘れて/iu;
const RETRACTED =
  /(?:^|[.!?,;:…—(\n-]\s*|(?:i['’]?m|am|was)\s)(?:(?:just )?(?:kidding|joking)|jk|not really|not at all|scratch that|i take (?:it|that) back|never mind|(?:that['’]?s|it['’]?s) (?:a lie|not true)|i lied|(?:nur|war nur) (?:ein )?spaß|stimmt nicht|je plaisante|c['’]est faux|es broma|no es verdad)(?![\p{L}\p{N}])|开玩笑|冗談/iu;

interface Place {
  readonly utterance: Utterance;
  readonly message: number;
  /** The words of the evidence. */
  readonly words: readonly Word[];
  readonly isOwn: boolean;
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
  const utterances = said.map(readUtterance);
  const turn = tokensSaid(utterances.flatMap(({ sentences }) => sentences.flatMap(({ words }) => words)));
  return ({ fact, evidence = "" }) => {
    const words = wordsOf(normalised(fact));
    if (words.length === 0) return { kind: "refused", reason: "empty" };
    const tokens = tokensOfFact(words);
    const quoted = wordsOf(normalised(evidence)).slice(0, MAX_EVIDENCE);
    const verdicts =
      quoted.length === 0
        ? withoutEvidence(tokens, utterances, turn)
        : placesOf(quoted, utterances).map((place) => judgeAt(tokens, place, turn));
    return best(verdicts);
  };
}

const RANKS = ["stated", "inferred", "ungrounded", "external"] as const;

function best(verdicts: readonly Verdict[]): Verdict {
  const unwanted = verdicts.find((verdict) => verdict.kind === "refused");
  if (unwanted !== undefined) return unwanted;
  const ranked = verdicts.flatMap((verdict) => (verdict.kind === "kept" ? [verdict] : []));
  const rank = (verdict: (typeof ranked)[number]): number =>
    RANKS.indexOf(verdict.quarantine ?? verdict.trust);
  return ranked.sort((a, b) => rank(a) - rank(b))[0] ?? { kind: "refused", reason: "no-evidence" };
}

function placesOf(quoted: readonly Word[], utterances: readonly Utterance[]): readonly Place[] {
  const places = utterances.flatMap((utterance, message) => {
    const { words, own } = utterance;
    return words.flatMap((_, at) => {
      if (!quoted.every(({ text }, index) => words[at + index]?.text === text)) return [];
      const isOwn = own.slice(at, at + quoted.length).every(Boolean);
      return [{ utterance, message, words: words.slice(at, at + quoted.length), isOwn }];
    });
  });
  return places.toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn)).slice(0, MAX_PLACES);
}

function judgeAt(
  fact: readonly Token[],
  { utterance, message, words, isOwn }: Place,
  turn: readonly Token[],
): Verdict {
  const evidence = textOf(utterance, words);
  if (!isOwn) return { kind: "kept", trust: "external", quarantine: "external", evidence, message };
  if (isUnwanted(utterance)) return { kind: "refused", reason: "unwanted" };
  const touched = utterance.sentences.filter((sentence) =>
    sentence.words.some((word) => words.includes(word)),
  );
  const trusts = touched.map((sentence) => trustOf(fact, { utterance, sentence, words, turn, added: 1 }));
  const trust = trusts.includes("stated") ? "stated" : trusts.find((one) => one !== undefined);
  return trust === undefined
    ? { kind: "kept", trust: "inferred", quarantine: "ungrounded", evidence, message }
    : { kind: "kept", trust, evidence, message };
}

function withoutEvidence(
  fact: readonly Token[],
  utterances: readonly Utterance[],
  turn: readonly Token[],
): readonly Verdict[] {
  return utterances.flatMap((utterance, message) =>
    utterance.sentences.flatMap((sentence): Verdict[] => {
      const { words } = sentence;
      const trust = trustOf(fact, { utterance, sentence, words, turn, added: 0 });
      if (trust === undefined) return [];
      if (isUnwanted(utterance)) return [{ kind: "refused", reason: "unwanted" }];
      return [{ kind: "kept", trust, evidence: textOf(utterance, words), message }];
    }),
  );
}

interface Asked {
  readonly utterance: Utterance;
  readonly sentence: Sentence;
  readonly words: readonly Word[];
  readonly turn: readonly Token[];
  readonly added: 0 | 1;
}

function trustOf(fact: readonly Token[], { utterance, sentence, words, turn, added }: Asked) {
  if (RETRACTED.test(utterance.text)) return undefined;
  if (isStated(fact, sentence)) return "stated";
  const isFound =
    isContinued(fact, sentence) ||
    scopesIn(sentence, words).some((scope) => isCarried(fact, scope, { turn, added }));
  return isFound ? "inferred" : undefined;
}

const isUnwanted = ({ sentences, text }: Utterance): boolean =>
  UNWANTED.test(text) && sentences.some(({ words }) => words.length > 0);

function textOf({ text }: Utterance, words: readonly Word[]): string {
  const start = words[0]?.start ?? 0;
  return text.slice(start, words.at(-1)?.end ?? start);
}
