import { asks } from "../text/asks.ts";
import { sentencesIn } from "../text/sentences.ts";
import { lineOf } from "./passages.ts";

/** What an assistant asks stands at the end of what it says. */
const LOOKED_AT = 2_000;
const LAST_SENTENCES = 3;
const MAX_QUESTION = 300;

/** The question that a message ends with, in one line; `""` where it asks nothing. */
export function questionIn(text: string): string {
  const last = [...sentencesIn(text.slice(-LOOKED_AT))].slice(-LAST_SENTENCES);
  const question = last.findLast(({ segment }) => asks(segment))?.segment ?? "";
  return question.length > MAX_QUESTION ? "" : lineOf(question);
}
