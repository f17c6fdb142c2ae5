import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { understood } from "./understood.ts";

const NAMED =
  /\b(?:my name is|i am called|i'm called|call me)\s+([^.,!?\n]+?)(?=\s+(?:and|but|so)\s|[.,!?\n]|$)/gi;
const STATED = /\bmy\s+([a-z][a-z '-]{0,40}?)\s+(?:is|are)\s+([^.!?\n]+)/gi;
const QUOTED_LINE = /^[^\S\n]*>.*$/gm;
/** Behind it, in its sentence, stands the word of somebody other than the user. */
const REPORTS = /(?<!\bI )\b(?:says?|said|writes|wrote|reads)\b/i;

/** What a text states of whoever wrote it, by the thing it is about: of "my dog is called Rex" or "call me Ada" the last word. */
function statementsIn(text: string): ReadonlyMap<string, string> {
  const own = text.replaceAll(QUOTED_LINE, "");
  const statements = new Map<string, string>();
  for (const { 1: thing, 2: value, index } of own.matchAll(STATED)) {
    if (thing === undefined || value === undefined || isReported(own, index) || isQuestion(own, thing))
      continue;
    statements.set(keyOf(thing), value.trim());
  }
  for (const { 1: name, index } of own.matchAll(NAMED)) {
    if (name !== undefined && !isReported(own, index)) statements.set("name", name.trim());
  }
  return statements;
}

/** What the texts state by the thing it is about, the newest word on each thing last. */
export const factsIn = (texts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(texts.flatMap((text) => [...statementsIn(understood(text))]));

/** What the user said, message by message, as far as the rules look at it. */
export const userTexts = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === "user").map((message) => understood(messageText(message)));

export const keyOf = (thing: string): string => thing.trim().toLowerCase().replaceAll(/\s+/g, " ");

const isReported = (text: string, index: number): boolean =>
  REPORTS.test(
    text
      .slice(0, index)
      .split(/[.!?\n]/)
      .at(-1) ?? "",
  );

const isQuestion = (text: string, thing: string): boolean =>
  new RegExp(`\\b(?:what|who|where|when)\\b[^.!?]*\\bmy\\s+${thing}\\b`, "i").test(text);
