import type { Message } from "@jaf/memory";
import { holdsSecret } from "@jaf/user-memory";
import { factsIn, keyOf, userTexts } from "./facts.ts";
import { ownWords } from "./own-words.ts";
import { answerPredicate, answerThing, predicatesIn } from "./predicates.ts";
import type { Remembered } from "./remembered.ts";
import { type Surface, WAYS } from "./surface.ts";
import { userStatements } from "./user-statements.ts";

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

/** A request to keep something to oneself; user memory hears more of them, and in more languages. */
const OFF_RECORD =
  /(?:^|[.!?,;:\n]\s*|\b(?:please|but|and|so)\s+)(?:do(?:n['’]t| not)|never)\s+(?:ever\s+)?(?:remember|save|store|note|memori[sz]e|record)\b|\boff the record\b/i;
const ASKS_TO_FORGET =
  /^\W*(?:(?:please|now|ok|can you|could you|would you)\W+){0,2}(?:forget|delete|erase|unlearn)\s+(?:about\s+)?(?:my\b|me\b|that (?:i|my)\b|i\b|where i\b|who i\b|(?:everything|all|what|anything)\b.*\b(?:me|i)\b)/i;

/** Where the answer is read. */
export interface AnswerPlace {
  readonly surface?: Surface;
  /** Nothing of the conversation is kept. */
  readonly isPrivate?: boolean;
}

/** Answers from what was said in this conversation, and, where that says nothing, from what is remembered. */
export function answerFromHistory(
  messages: readonly Message[],
  remembered: readonly Remembered[] = [],
  { surface = "terminal", isPrivate = false }: AnswerPlace = {},
): string {
  const texts = userTexts(messages);
  const text = texts.at(-1) ?? "";
  const earlier = texts.slice(0, -1);
  const said = factsIn(texts);
  const known = remembered.map(({ words }) => words);
  const name = said.get("name") ?? factsIn(known).get("name");
  const states = (words: string): boolean => factsIn([words]).size > 0 || predicatesIn([words]).length > 0;
  if (ASKS_TO_FORGET.test(text) && !states(text))
    return `I can't forget by myself, but you can: ${WAYS[surface].forgetFact}.`;
  if (OFF_RECORD.test(text)) return offRecord(surface, isPrivate);
  const asked = ASKS_FACT.exec(text)?.[1];
  if (asked !== undefined) return answerFact(said, remembered, asked, earlier);
  if (ASKS_FIRST.test(text) && earlier[0] !== undefined)
    return `The first thing you said was: "${shown(earlier[0])}"`;
  if (ASKS_BEFORE.test(text)) return recap(earlier);
  const ofOneself = answerPredicate(text, remembered, earlier);
  if (ofOneself !== undefined) return ofOneself;
  if (WHO.test(text)) return INTRODUCTION;
  if (states(text)) return acknowledge(text, factsIn([...known, ...earlier]).get("name"));
  const greeting = name === undefined ? "" : `, ${name}`;
  if (GREETS.test(text)) return `Hello${greeting}! ${earlier.length === 0 ? INTRODUCTION : "Good to go on."}`;
  if (THANKS.test(text)) return `You're welcome${greeting}.`;
  if (BYE.test(text)) return `Goodbye${greeting}.`;
  if (ownWords(text) !== text) return NOT_YOURS;
  if (userStatements(text, { isAnswer: false }) !== "") return NOTHING_TO_SAY;
  return `I can't make anything of that. ${INTRODUCTION}`;
}

const NOTHING_TO_SAY = "I see. I follow fixed rules, and have nothing to say to that.";
const NOT_YOURS = "That is somebody else's text as I read it: I don't take it for something about you.";

/** What the assistant says of a secret, without repeating it. */
export const secretNotice = ({ surface = "terminal", isPrivate = false }: AnswerPlace): string =>
  isPrivate
    ? "That looks like a secret. I don't keep secrets, and nothing of this private conversation is kept."
    : `That looks like a secret. I don't keep secrets: it isn't among what I remember about you. This conversation is stored, though, with your message in it: ${WAYS[surface].deleteConversation}.`;

const offRecord = (surface: Surface, isPrivate: boolean): string =>
  isPrivate
    ? "All right. Nothing of this private conversation is kept."
    : `All right: nothing of this message becomes something I know about you. It stays in this conversation, though: ${WAYS[surface].deleteConversation}.`;

const shown = (text: string): string => (holdsSecret(text) ? "(a message with a secret)" : text);

function answerFact(
  said: ReadonlyMap<string, string>,
  remembered: readonly Remembered[],
  asked: string,
  earlier: readonly string[],
): string {
  const thing = keyOf(asked.replace(/\b(?:again|please|called|now|currently|then)\b/gi, ""));
  const names = [thing, thing.replace(/['’]s name$/, ""), `${thing}'s name`];
  const valueIn = (facts: ReadonlyMap<string, string>): string | undefined =>
    names.flatMap((one) => facts.get(one) ?? [])[0];
  const here = valueIn(said);
  if (here !== undefined) return `Your ${thing} is ${here}.`;
  const told = remembered.flatMap(({ words, day }) => {
    const value = valueIn(factsIn([words]));
    return value === undefined ? [] : [{ value, day }];
  });
  const last = told.at(-1);
  if (last === undefined)
    return answerThing(thing, remembered, earlier) ?? `You haven't told me your ${thing} yet.`;
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

/** It doesn't say that it will remember: that isn't its to decide. `before`: the name until now. */
function acknowledge(text: string, before: string | undefined): string {
  const stated = factsIn([text]);
  const name = stated.get("name");
  const others = [...stated]
    .filter(([thing]) => thing !== "name")
    .map(([thing, value]) => `your ${thing} is ${value}`);
  const understanding = [
    ...others,
    ...predicatesIn([text]).filter(
      (one) =>
        !/^you (?:are (?:now )?(?:called|named)|(?:have )?changed your name|(?:now )?go by)\b/.test(one),
    ),
  ];
  return [
    ...(name === undefined ? [] : [greeting(name, before)]),
    ...(understanding.length === 0 ? [] : [`I see: ${understanding.join(", and ")}.`]),
  ].join(" ");
}

const greeting = (name: string, before: string | undefined): string =>
  before === undefined || before === name
    ? `Nice to meet you, ${name}.`
    : `I see, ${name}: not ${before} any more.`;
