import { type Message, messageText } from "@jaf/memory";
import { understood } from "./understood.ts";

const NAMED =
  /\b(?:my name is|i am called|i'm called|call me)\s+([^.,!?\n]+?)(?=\s+(?:and|but|so)\s|[.,!?\n]|$)/gi;
const STATED = /\bmy\s+([a-z][a-z '-]{0,40}?)\s+(?:is|are)\s+([^.!?\n]+)/gi;

/** Something that somebody says of themselves, e.g. "my dog is called Rex" or "call me Ada". */
export interface Statement {
  /** What it is about, e.g. `"favourite colour"`. */
  readonly thing: string;
  /** As `thing`, but that what somebody is called doesn't take the place of their name. */
  readonly key: string;
  readonly value: string;
  /** The words that say it, as they stand in the text. */
  readonly words: string;
}

/** What a text states, one statement for each thing: the last one. */
export function statementsIn(text: string): readonly Statement[] {
  const statements = new Map<string, Statement>();
  for (const [words, thing, value] of text.matchAll(STATED)) {
    if (thing === undefined || value === undefined || isQuestion(text, thing)) continue;
    const key = keyOf(thing);
    statements.set(key, { thing: key, key, value: value.trim(), words: words.trim() });
  }
  for (const [words, name] of text.matchAll(NAMED)) {
    if (name === undefined) continue;
    const key = /^my name/i.test(words) ? "name" : "called";
    statements.set("name", { thing: "name", key, value: name.trim(), words: words.trim() });
  }
  return [...statements.values()];
}

/** What the texts state by the thing it is about, the newest word on each thing last. */
export const factsIn = (texts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(texts.flatMap(statementsIn).map(({ thing, value }) => [thing, value]));

/** What the user said, message by message, as far as the rules look at it. */
export const userTexts = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === "user").map((message) => understood(messageText(message)));

export const keyOf = (thing: string): string => thing.trim().toLowerCase().replaceAll(/\s+/g, " ");

const isQuestion = (text: string, thing: string): boolean =>
  new RegExp(`\\b(?:what|who|where|when)\\b[^.!?]*\\bmy\\s+${thing}\\b`, "i").test(text);
