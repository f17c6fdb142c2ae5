import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";

/** Returns what was said in a text: its last line. In a timer's text, the engine and the server write before and after it. */
export const wordsIn = (text: string): string => /([sct]\d+)\s*(?:<\/\w+>\s*)?$/.exec(text)?.[1] ?? text;

/** Returns what the messages of the user, and of the user's timers, say. */
export const saidIn = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === "user").map((message) => wordsIn(messageText(message)));
