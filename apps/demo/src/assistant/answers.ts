import type { Message, SourcePart } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { holdsSecret } from "@jaf/user-memory";
import { statedIn } from "./extraction.ts";
import { HOME, type Statement, statementsIn, thingOf, understood } from "./statements.ts";

// No reply has a question mark, because a message after a question is remembered as its answer.
const WITH_A_MODEL = "start the demo with a language model, e.g. `OPENAI_API_KEY=… npx pnpm@12.21.0 demo`";

/** Each example gets a reply of its own on the page. */
export const HELP = `I'm JAF's offline assistant. I follow fixed rules and understand for example:
- "My name is Ada", "My dog is Rex", "I live in Porto"
- "What is my name", "What do you know about me", "What did I say"
- "What time is it in Tokyo", "What is 17 * 23", "What is JAF"
- "Note: water the plants", "Show my notes", "Delete note 1"
- on the demo's page also "Send an email to Grace: Lunch on Friday", "Plan a dinner with Grace in Tokyo", "Set a timer for 6 seconds", "Remind me in one minute to stretch" and "What did we say about tea"

For everything else, ${WITH_A_MODEL}.`;

const DOCS = "https://github.com/jaf-agents/jaf/blob/main/docs";

/** The sentences about JAF, each with the document that says it. */
const ABOUT_JAF = [
  {
    text: "JAF is an agent engine for TypeScript, with a memory for conversations.",
    title: "Architecture",
    url: `${DOCS}/architecture.md`,
  },
  {
    text: "A turn that was cut off goes on where it was, also in another process.",
    title: "Turns",
    url: `${DOCS}/turns.md`,
  },
] as const;

/** A reply with sources, see {@link sourcesOf}. */
export const WHAT_IS_JAF = ABOUT_JAF.map(({ text }) => text).join(" ");

/** Returns the sources of a reply, with their places in its text. */
export const sourcesOf = (reply: string): readonly SourcePart[] =>
  reply !== WHAT_IS_JAF
    ? []
    : ABOUT_JAF.map(({ text, title, url }, index) => {
        const start = reply.indexOf(text);
        const ranges = [{ start, end: start + text.length }];
        return { type: "source", id: `source-${index + 1}`, sourceType: "url", url, title, ranges };
      });

export const NOT_UNDERSTOOD = `I'm JAF's offline assistant and don't understand that: say "help" to see what I can do, or ${WITH_A_MODEL}.`;

/** For a message that may be remembered. User memory decides that, so this doesn't promise it. */
export const NO_REPLY = `I may remember that (say "What do you know about me" to see it), but I'm JAF's offline assistant and can't talk about it: ${WITH_A_MODEL}.`;

const STAYS =
  "The message itself is stored with this conversation until you delete it, unless the conversation is private.";
const SECRET = `That looks like a secret, so I won't remember it. ${STAYS}`;
const KEEPS_NO_SECRETS = "I don't keep secrets, so I can't tell you.";
const OFF_RECORD = `All right, I won't remember anything from this message. ${STAYS}`;

const ASKS_HELP = /^(?:hi|hello|hey|hallo|help|what can you do|who are you|what(?: is|['’]s) your name)\b/i;
const ASKS_JAF = /^(?:what is|what['’]s) jaf\b/i;
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
  if (ASKS_JAF.test(text)) return WHAT_IS_JAF;
  if (ASKS_RECAP.test(text)) return recap(texts.slice(0, -1));
  const my = ASKS_MY.exec(text)?.[1];
  if (my !== undefined) return answerFact(thingOf(my), texts, remembered);
  if (ASKS_HOME.test(text)) return answerFact(HOME, texts, remembered);
  const stated = statementsIn(text);
  if (stated.length > 0) return acknowledge(stated);
  if (statedIn(text) !== "") return NO_REPLY;
  return ASKS_HELP.test(text) ? HELP : NOT_UNDERSTOOD;
}

function answerFact(thing: string, texts: readonly string[], remembered: readonly Remembered[]): string {
  if (holdsSecret(`my ${thing} is hunter2`)) return KEEPS_NO_SECRETS;
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
    return `I found no "${thing === HOME ? "I live in" : `My ${thing} is`} …" in what you told me.`;
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
