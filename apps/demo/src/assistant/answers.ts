import type { Message } from "@jaf/memory";
import { factsIn, keyOf, userTexts } from "./facts.ts";
import { ownWords } from "./own-words.ts";
import type { Remembered } from "./remembered.ts";
import { holdsSecret, isSecretThing } from "./secrets.ts";

export const INTRODUCTION =
  "I am JAF's offline assistant: no language model is configured, so I follow fixed rules. I can tell the time, " +
  'calculate, keep notes, and answer from what you told me in any conversation, e.g. "what is my name?".';

const ASKS_FACT =
  /\b(?:what(?:'s| is| are| was)|who(?:'s| is)|do you (?:know|remember)|tell me)\s+my\s+([a-z][a-z '-]*)/i;
const ASKS_FIRST = /\b(?:what|which)\b.*\b(?:first|begin|start)/i;
const ASKS_BEFORE = /\bwhat (?:did i|have i|was i|were we|did we|have we)\b/i;
const GREETS = /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening)|moin|hola)\b/i;
const THANKS = /\b(?:thanks|thank you|cheers)\b/i;
const BYE = /^\s*(?:bye|goodbye|see you|good night)\b/i;
const WHO = /\b(?:who|what) are you\b|\bwhat can you do\b|\bhelp\b/i;

/** Answers from what was said in this conversation, and, where that says nothing, from what is remembered. */
export function answerFromHistory(
  messages: readonly Message[],
  remembered: readonly Remembered[] = [],
): string {
  const texts = userTexts(messages);
  const text = texts.at(-1) ?? "";
  const earlier = texts.slice(0, -1);
  const said = factsIn(texts);
  const name = said.get("name") ?? factsIn(remembered.map(({ words }) => words)).get("name");
  const asked = ASKS_FACT.exec(text)?.[1];
  if (asked !== undefined && isSecretThing(keyOf(asked))) return ASKED_FOR_SECRET;
  if (asked !== undefined) return answerFact(said, remembered, asked);
  if (ASKS_FIRST.test(text) && earlier[0] !== undefined)
    return `The first thing you said was: "${shown(earlier[0])}"`;
  if (ASKS_BEFORE.test(text)) return recap(earlier);
  if (WHO.test(text)) return INTRODUCTION;
  const stated = factsIn([text]);
  if (stated.size > 0) return acknowledge(stated, name);
  const greeting = name === undefined ? "" : `, ${name}`;
  if (GREETS.test(text)) return `Hello${greeting}! ${earlier.length === 0 ? INTRODUCTION : "Good to go on."}`;
  if (THANKS.test(text)) return `You're welcome${greeting}.`;
  if (BYE.test(text)) return `Goodbye${greeting}.`;
  if (ownWords(text) !== text) return NOT_YOURS;
  return `I can't make anything of that. ${INTRODUCTION}`;
}

const NOT_YOURS = "That is somebody else's text as I read it: I don't take it for something about you.";
const ASKED_FOR_SECRET =
  "I don't keep secrets, so I can't tell you. A password manager is the place for them.";

/** What the assistant says of a secret, without repeating it. */
export const secretNotice = (isPrivate: boolean): string =>
  isPrivate
    ? "That looks like a secret. I don't keep secrets, and nothing of this private conversation is kept."
    : "That looks like a secret. I don't keep secrets: it isn't among what I remember about you. This conversation is stored, though, with your message in it, until you delete it (/forget in the terminal).";

const shown = (text: string): string => (holdsSecret(text) ? "(a message with a secret)" : text);

function answerFact(
  said: ReadonlyMap<string, string>,
  remembered: readonly Remembered[],
  asked: string,
): string {
  const thing = keyOf(asked.replace(/\b(?:again|please|called)\b/gi, ""));
  const here = said.get(thing);
  if (here !== undefined) return `Your ${thing} is ${here}.`;
  const told = remembered.flatMap(({ words, day }) => {
    const value = factsIn([words]).get(thing);
    return value === undefined ? [] : [{ value, day }];
  });
  const last = told.at(-1);
  if (last === undefined) return `You haven't told me your ${thing} yet.`;
  // Which of a day's words came last can't be told for sure: what was said again stands where it was said first.
  const others = told.filter(({ value, day }) => day === last.day && value !== last.value);
  const also = [...new Set(others.map(({ value }) => value))].join(", and ");
  return `Your ${thing} is ${last.value}.${also === "" ? "" : ` On the same day you also said ${also}.`}`;
}

function recap(earlier: readonly string[]): string {
  if (earlier.length === 0) return "Nothing yet: this conversation begins here.";
  const lines = earlier.slice(-5).map((text) => `- ${shown(text)}`);
  return `The last things you said:\n${lines.join("\n")}`;
}

/** It doesn't say that it will remember: that isn't its to decide. */
function acknowledge(stated: ReadonlyMap<string, string>, name: string | undefined): string {
  const others = [...stated]
    .filter(([thing]) => thing !== "name")
    .map(([thing, value]) => `your ${thing} is ${value}`);
  const greeting = stated.has("name") ? [`Nice to meet you, ${name ?? "you"}.`] : [];
  const understanding = others.length === 0 ? [] : [`I see: ${others.join(", and ")}.`];
  return [...greeting, ...understanding].join(" ");
}
