import { sentencesIn } from "./sentences.ts";

const CLOSING = String.raw`[\s\p{Pf}\p{Pe}"'*_]*$`;
const QUESTION = new RegExp(String.raw`[?？؟⁇⁈\u037E]${CLOSING}`, "u");
const SEMICOLON = new RegExp(`;${CLOSING}`, "u");

/** Whether a text only asks: each of its sentences ends in a question mark. */
export const isQuestion = (text: string): boolean =>
  asks(text) && [...sentencesIn(text)].every(({ segment }) => asks(segment));

/**
 * Whether a sentence ends in a question mark. Greek keyboards and Unicode normalisation write the Greek one as a semicolon,
 * which elsewhere asks nothing.
 */
export const asks = (sentence: string): boolean =>
  QUESTION.test(sentence) || (SEMICOLON.test(sentence) && isMostlyGreek(sentence));

function isMostlyGreek(sentence: string): boolean {
  const letters = sentence.match(/\p{L}/gu) ?? [];
  const greek = letters.filter((letter) => /\p{Script=Greek}/u.test(letter));
  return greek.length > letters.length / 2;
}
