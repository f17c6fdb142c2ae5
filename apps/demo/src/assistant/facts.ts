import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { bare, statedClauses } from "./clauses.ts";
import { ownSentences } from "./own-words.ts";
import { understood } from "./understood.ts";

const NAMED =
  /\b(?:i(?: am|['’]m) (?:now )?(?:called|named)|(?:just |you can )?call me|i(?:['’]ve| have)? changed my name to|i (?:now )?go by)\s+(.+)$/gi;
const STATED =
  /\bmy\s+([a-z][a-z '-]{0,40}?)(?:\s+(?:is|are|(?:has |have )?(?:changed to|become|became))|['’]s(?!.*\s(?:is|are)\s))\s+(.+)$/gi;
/** What stands beside a value and is no part of it. */
const SINCE = /^(?:now|actually|really|currently|still|also|just|in fact)\s+(?=\S)/i;
const UNTIL =
  /[\s,]+(?:now|from now on|nowadays|these days|actually|by the way|btw|again|instead|please|currently|at the moment|for now|as of today|too)$/i;
const NO_VALUE = /^(?:not|no longer|never|none of|unknown|what|here|there)\b/i;
/** Said of somebody else's doing, or asked not to be done. */
const NOT_ASKED = /\b(?:do(?:n['’]t| not)|never|they|people|friends|everyone|everybody|he|she)\s+$/i;
/** What a sentence states of whoever wrote it, by the thing it is about: of "my dog is called Rex" or "call me Ada" the last word. */
function statementsIn(sentence: string): readonly (readonly [thing: string, value: string])[] {
  return statedClauses(sentence).flatMap((clause) => {
    const stated = [...clause.matchAll(STATED)].map(
      ({ 1: thing = "", 2: value = "" }) => [keyOf(thing), value] as const,
    );
    const named = [...clause.matchAll(NAMED)].flatMap(({ 1: value = "", index }) =>
      NOT_ASKED.test(clause.slice(0, index)) || LATER.test(value) ? [] : [["name", value] as const],
    );
    return [...stated, ...named].flatMap(([thing, value]) => {
      const word = valueIn(thing === "name" ? beforeComma(value) : value);
      return word === "" || NO_VALUE.test(word) ? [] : [[thing, word] as const];
    });
  });
}

/** Of "Ada and I like tea" or "Ada, by the way" the name. */
const beforeComma = (value: string): string => value.split(/,|\s(?:and|but|so)\s/i)[0] ?? "";

/** `Call me back.`, `call me when you are there` */
const LATER = /^(?:back|at|when|if|later|tomorrow|today|tonight|on|again|now|after|before|in|soon|an?)\b/i;

/** Of "now Eve" or "Eve, from now on" the name. */
const valueIn = (value: string): string => bare(bare(value).replace(UNTIL, "").replace(SINCE, ""));

/** What the texts state by the thing it is about, the newest word on each thing last. */
export const factsIn = (texts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(texts.flatMap((text) => ownSentences(understood(text)).flatMap(statementsIn)));

/** What the user said, message by message, as far as the rules look at it. */
export const userTexts = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === "user").map((message) => understood(messageText(message)));

export const keyOf = (thing: string): string => thing.trim().toLowerCase().replaceAll(/\s+/g, " ");
