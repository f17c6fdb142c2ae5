import type { Message } from "@jaf/memory";

/** A sequence of numbers from 0 to 1 that is the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const VOCABULARY = 40_000;
const ONSETS = [
  "b",
  "br",
  "d",
  "dr",
  "f",
  "g",
  "k",
  "kl",
  "l",
  "m",
  "n",
  "p",
  "pl",
  "r",
  "s",
  "st",
  "t",
  "v",
];
const VOWELS = ["a", "e", "i", "o", "u", "ai", "ou"];

/** A made-up word. The lower its number, the more frequent it is. */
function wordOf(rank: number): string {
  let word = "";
  for (let left = rank + 7; left > 0; left = Math.floor(left / (ONSETS.length * VOWELS.length))) {
    const syllable = left % (ONSETS.length * VOWELS.length);
    word += `${ONSETS[syllable % ONSETS.length]}${VOWELS[Math.floor(syllable / ONSETS.length)]}`;
  }
  return `${word}n`;
}

/** Frequencies fall as in a language: the word with the rank r is about r times rarer than the most frequent one. */
const rankOf = (random: number): number => Math.floor(VOCABULARY ** random) - 1;

const FUNCTION_WORDS = ["the", "and", "I", "to", "of", "it", "was", "with", "my", "that"];

/** The text of a message. One word in five belongs to the topic of its conversation. */
function sentenceOf(words: number, topic: readonly string[], random: () => number): string {
  const text: string[] = [];
  for (let at = 1; at <= words; at++) {
    const kind = random();
    const word =
      kind < 0.4
        ? (FUNCTION_WORDS[Math.floor(random() * FUNCTION_WORDS.length)] ?? "the")
        : kind < 0.6
          ? (topic[Math.floor(random() * topic.length)] ?? "")
          : wordOf(rankOf(random()));
    text.push(at % 14 === 0 ? `${word}${random() < 0.2 ? "?" : "."}` : word);
  }
  return text.join(" ");
}

/** The messages of one generated conversation: the user writes 5 to 45 words, the assistant 20 to 120. */
export function generateConversation(seed: number, messages: number): readonly Message[] {
  const random = seededRandom(seed);
  const topic = Array.from({ length: 40 }, () => wordOf(rankOf(0.3 + 0.7 * random())));
  return Array.from({ length: messages }, (_, at): Message => {
    const isUser = at % 2 === 0;
    const words = Math.floor(isUser ? 5 + 40 * random() : 20 + 100 * random());
    return { role: isUser ? "user" : "assistant", content: sentenceOf(words, topic, random) };
  });
}

/** A query of `words` words from messages of one conversation, as a user asks about it later. */
export function generateQuery(seed: number, words: number, messages: readonly Message[]): string {
  const random = seededRandom(seed);
  const said = messages.flatMap(({ content }) => (typeof content === "string" ? content.split(" ") : []));
  const start = Math.floor(random() * Math.max(1, said.length - words));
  return said.slice(start, start + words).join(" ");
}
