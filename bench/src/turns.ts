import type { Message } from "@jaf/memory";

const WORDS = "the order left our warehouse on Monday and should reach you within three days of that".split(
  " ",
);

// About 480 bytes as JSON.
const textOf = (n: number): string =>
  Array.from({ length: 84 }, (_, at) => WORDS[(n * 7 + at * (1 + (n % 5))) % WORDS.length])
    .join(" ")
    .slice(0, 440);

const messageOf = (n: number): Message => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: textOf(n),
});

const pool = Array.from({ length: 256 }, (_, n) => messageOf(n));

/** Returns `count` messages of about 480 bytes each, alternating between user and assistant. */
export const messagesOf = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, n) => pool[n % pool.length] as Message);

let turns = 0;

/** Returns the next turn: a user message and its answer. */
export function nextTurn(): readonly [Message, Message] {
  turns += 2;
  return [pool[turns % pool.length] as Message, pool[(turns + 1) % pool.length] as Message];
}
