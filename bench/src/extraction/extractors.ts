import type { ProposedFact } from "@jaf/user-memory";
import type { LocomoTurn } from "../recall/locomo.ts";

/** What a model would propose of a turn for which the data has a fact. */
export type Extractor = (turn: LocomoTurn, fact: string, index: number) => ProposedFact;

const SCORE = 0.9;

/** The data's own facts, with the whole turn as evidence. */
export const perfect: Extractor = ({ text }, fact) => ({ fact, evidence: text, score: SCORE });

/** The same, as a model that only says facts and scores. */
export const withoutEvidence: Extractor = (_, fact) => ({ fact, score: SCORE });

/** Honest, but not exact: it abbreviates, changes case, merges sentences, or answers in another language. */
export const sloppy: Extractor = (turn, fact, index) => {
  const spoil = SPOILED[index % SPOILED.length] ?? perfect;
  return spoil(turn, fact, index);
};

const SPOILED: readonly Extractor[] = [
  ({ text }, fact) => ({ fact, evidence: abbreviated(text), score: SCORE }),
  ({ text }, fact) => ({ fact, evidence: text.toUpperCase().replaceAll(/[.,!?']/g, ""), score: SCORE }),
  ({ text }, fact) => ({ fact, evidence: merged(text), score: SCORE }),
  ({ text }, fact) => ({ fact: inAnotherLanguage(fact), evidence: text, score: SCORE }),
];

function abbreviated(text: string): string {
  const words = text.split(/\s+/);
  return words.length < 8 ? text : `${words.slice(0, 4).join(" ")} … ${words.slice(-4).join(" ")}`;
}

/** Two sentences as one, without the words between their halves. */
function merged(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+/);
  const [first = "", second] = sentences;
  if (second === undefined) return first.replace(/^\S+\s+/, "");
  return `${first.replace(/[.!?]+$/, "")} and ${second.replace(/^\S+\s+/, "").toLowerCase()}`;
}

/** Words that share nothing with English but the names and numbers. */
const inAnotherLanguage = (fact: string): string =>
  fact.replaceAll(/\b[a-z]+\b/g, (word) => `${[...word].reverse().join("")}ska`);
