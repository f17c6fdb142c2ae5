import { type Message, messageText } from "@jaf/memory";
import { understood } from "./understood.ts";

const NAMED = /\b(?:my name is|i am called|i'm called|call me)\s+([^.,!?\n]+)/gi;
const STATED = /\bmy\s+([a-z][a-z '-]{0,40}?)\s+(?:is|are)\s+([^.!?\n]+)/gi;

/** What the user has said of themselves ("my dog is called Rex", "call me Ada"), the newest word on each thing last. */
export function factsOf(messages: readonly Message[]): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = understood(messageText(message));
    for (const [, thing, value] of text.matchAll(STATED)) {
      if (thing !== undefined && value !== undefined && !isQuestion(text, thing))
        facts.set(keyOf(thing), value.trim());
    }
    for (const [, name] of text.matchAll(NAMED)) {
      if (name !== undefined) facts.set("name", name.trim());
    }
  }
  return facts;
}

export const keyOf = (thing: string): string => thing.trim().toLowerCase().replaceAll(/\s+/g, " ");

const isQuestion = (text: string, thing: string): boolean =>
  new RegExp(`\\b(?:what|who|where|when)\\b[^.!?]*\\bmy\\s+${thing}\\b`, "i").test(text);
