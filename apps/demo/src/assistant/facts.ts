import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { ownSentences } from "./own-words.ts";
import { understood } from "./understood.ts";

const NAMED = /\b(?:i am called|i'm called|call me)\s+(.+)$/gi;
const STATED = /\bmy\s+([a-z][a-z '-]{0,40}?)(?:\s+(?:is|are)|['’]s(?!.*\s(?:is|are)\s))\s+(.+)$/gi;
/** Where one statement ends and something else begins. */
const NEXT =
  /(?<=\S),?\s+(?:and|but|so)\s+(?=(?:my|i|i'm|we|you|call|please|what|he|she|they)\b)|,\s+(?=(?:my|i|i'm|we|what|what's|please|by the way|who|how|can|could)\b)/i;
const ASKS =
  /^(?:and |but |so )?(?:is|are|was|were|do|does|did|can|could|would|will|what|who|why|how|when|where|which|if)\b/i;

/** What a sentence states of whoever wrote it, by the thing it is about: of "my dog is called Rex" or "call me Ada" the last word. */
function statementsIn(sentence: string): readonly (readonly [thing: string, value: string])[] {
  const clauses = sentence.split(NEXT);
  return clauses.flatMap((clause) => {
    if (isQuestion(clause)) return [];
    const stated = [...clause.matchAll(STATED)].map(
      ({ 1: thing = "", 2: value = "" }) => [keyOf(thing), value] as const,
    );
    const named = [...clause.matchAll(NAMED)].map(
      ({ 1: value = "" }) => ["name", beforeComma(value)] as const,
    );
    return [...stated, ...named].flatMap(([thing, value]) => {
      const word = bare(thing === "name" ? beforeComma(value) : value);
      return word === "" || /^not\b/i.test(word) ? [] : [[thing, word] as const];
    });
  });
}

const isQuestion = (clause: string): boolean =>
  ASKS.test(clause.trim()) || /\b(?:what|who|where|when)\b[^.!?]*\bmy\b/i.test(clause);

/** Of "Ada and I like tea" or "Ada, by the way" the name. */
const beforeComma = (value: string): string => value.split(/,|\s(?:and|but|so)\s/i)[0] ?? "";

/** Without the end of its sentence; the full stop of an address or a number isn't one. */
const bare = (value: string): string => value.replace(/[\s.!?…,;:)]+$/u, "").trim();

/** What the texts state by the thing it is about, the newest word on each thing last. */
export const factsIn = (texts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(texts.flatMap((text) => ownSentences(understood(text)).flatMap(statementsIn)));

/** What the user said, message by message, as far as the rules look at it. */
export const userTexts = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === "user").map((message) => understood(messageText(message)));

export const keyOf = (thing: string): string => thing.trim().toLowerCase().replaceAll(/\s+/g, " ");
