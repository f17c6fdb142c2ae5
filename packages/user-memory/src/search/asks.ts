import { sentencesIn } from "../text/sentences.ts";

const CLOSING = String.raw`[\s\p{Pf}\p{Pe}"'*_]*$`;
const QUESTION = new RegExp(String.raw`[?？؟\u037E]${CLOSING}`, "u");
const SEMICOLON = new RegExp(`;${CLOSING}`, "u");

/** Whether a text only asks: each of its sentences ends in a question mark. */
export const isQuestion = (text: string): boolean =>
  asks(text) && [...sentencesIn(text)].every(({ segment }) => asks(segment));

// Greek keyboards and Unicode normalisation write the Greek question mark as a semicolon, which elsewhere asks nothing.
const asks = (sentence: string): boolean =>
  QUESTION.test(sentence) || (SEMICOLON.test(sentence) && isMostlyGreek(sentence));

function isMostlyGreek(sentence: string): boolean {
  const letters = sentence.match(/\p{L}/gu) ?? [];
  const greek = letters.filter((letter) => /\p{Script=Greek}/u.test(letter));
  return greek.length > letters.length / 2;
}
