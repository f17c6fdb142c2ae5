import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { holdsSecret } from "@jaf/user-memory";
import { HOME, type Statement, statementsIn, thingOf, understood } from "./statements.ts";

/** Has no question mark, because a message after a question is remembered as its answer. */
export const INTRODUCTION =
  "I am JAF's offline assistant: no language model is configured, so I follow fixed rules. I understand " +
  '"My name is Ada", "My dog is Rex", "I live in Porto" and "What is my name", tell the time ("What time is it in Tokyo"), ' +
  'calculate ("17 * 23"), keep notes ("Note: water the plants", "Show my notes") and list "What do you know about me".';

const STORED = "Unless this conversation is private, your message is stored with it until you delete it.";
const SECRET = `That looks like a secret. I don't keep secrets: it isn't among what I remember about you. ${STORED}`;
const OFF_RECORD = `All right: nothing of this message becomes something I know about you. ${STORED}`;

const ASKS_OFF_RECORD = /\b(?:do not|don['’]t) remember (?:this|that)\b/i;
const ASKS_RECAP = /^what did i say\b/i;
const ASKS_MY =
  /\b(?:what is|what['’]s|who is|tell me|do you (?:know|remember)) my ([a-z][a-z '’-]{0,40}?)[?.! ]*$/i;
const ASKS_HOME = /\bwhere do i live[?.! ]*$/i;

/** Answers from this conversation, or from the remembered facts if it has no answer. */
export function answerFromHistory(
  messages: readonly Message[],
  remembered: readonly Remembered[] = [],
): string {
  const texts = messages
    .filter(({ role }) => role === "user")
    .map((message) => understood(messageText(message)));
  const text = texts.at(-1)?.trim() ?? "";
  if (holdsSecret(text)) return SECRET;
  if (ASKS_OFF_RECORD.test(text)) return OFF_RECORD;
  if (ASKS_RECAP.test(text)) return recap(texts.slice(0, -1));
  const my = ASKS_MY.exec(text)?.[1];
  if (my !== undefined) return answerFact(thingOf(my), texts, remembered);
  if (ASKS_HOME.test(text)) return answerFact(HOME, texts, remembered);
  const stated = statementsIn(text);
  return stated.length === 0 ? INTRODUCTION : acknowledge(stated);
}

function answerFact(thing: string, texts: readonly string[], remembered: readonly Remembered[]): string {
  const isAsked = (one: Statement): boolean => one.thing === thing;
  const here = texts.flatMap(statementsIn).findLast(isAsked);
  if (here !== undefined) return `${capitalized(inWords(here))}.`;
  const told = remembered.flatMap(({ words, day }) =>
    statementsIn(words)
      .filter(isAsked)
      .map((one) => ({ ...one, day })),
  );
  const last = told.at(-1);
  if (last === undefined)
    return `You haven't told me ${thing === HOME ? "where you live" : `your ${thing}`} yet.`;
  // The order within a day isn't certain: a repeated statement keeps its first place.
  const others = told.filter(({ value, day }) => day === last.day && value !== last.value);
  const also = [...new Set(others.map(({ value }) => value))].join(", and ");
  return `${capitalized(inWords(last))}.${also === "" ? "" : ` On the same day you also said ${also}.`}`;
}

function recap(earlier: readonly string[]): string {
  if (earlier.length === 0) return "Nothing yet: this conversation begins here.";
  const lines = earlier
    .slice(-5)
    .map((text) => `- ${holdsSecret(text) ? "(a message with a secret)" : text}`);
  return `The last things you said:\n${lines.join("\n")}`;
}

/** Doesn't promise to remember, because user memory decides that. */
function acknowledge(stated: readonly Statement[]): string {
  const name = stated.findLast(({ thing }) => thing === "name")?.value;
  const others = stated.filter(({ thing }) => thing !== "name").map(inWords);
  return [
    ...(name === undefined ? [] : [`Nice to meet you, ${name}.`]),
    ...(others.length === 0 ? [] : [`I see: ${others.join(", and ")}.`]),
  ].join(" ");
}

const inWords = ({ thing, value }: Statement): string =>
  thing === HOME ? `you live in ${value}` : `your ${thing} is ${value}`;

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A remembered fact, as the instructions state it. */
export interface Remembered {
  /** The user's own words, or a fact of the application. */
  readonly words: string;
  /** The day of the statement, e.g. `"2026-11-02"`; `""` if it is unknown. */
  readonly day: string;
}

const BEGIN = "<user-memory>\n";
const END = "\n</user-memory>";
/** Quotations contain no double quotation marks. */
const QUOTED =
  /^(\(earlier\) )?(?:The user said|In a text that the user sent|Asked "[^"]*", the user said)(?: on (\d{4}-\d\d-\d\d))?: "([^"]*)"$/;
/** Matches the mark of untrusted facts: worded by a model, from a tool, or outdated. */
const MARKED = /^\([^)]*\) /;

/**
 * The facts in the instructions, the oldest first. Facts of the same day keep the order of the block, which is by their first
 * mention.
 */
export function rememberedIn(instructions: string): readonly Remembered[] {
  const items = blockOf(instructions)
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  const read = items.flatMap((item) => {
    const [, earlier, day = "", words] = QUOTED.exec(item) ?? [];
    if (words !== undefined) return [{ words, day, isEarlier: earlier !== undefined }];
    return MARKED.test(item) ? [] : [{ words: item, day, isEarlier: false }];
  });
  return read
    .toSorted((a, b) => Number(b.isEarlier) - Number(a.isEarlier) || compareText(a.day, b.day))
    .map(({ words, day }) => ({ words, day }));
}

function blockOf(instructions: string): string {
  const begin = instructions.indexOf(BEGIN);
  const end = begin === -1 ? -1 : instructions.indexOf(END, begin + BEGIN.length);
  return end === -1 ? "" : instructions.slice(begin + BEGIN.length, end);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
