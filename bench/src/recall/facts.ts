import type { RememberOptions } from "@jaf/user-memory";

const PEOPLE = ["Ada", "Bo", "Chloé", "Dmitri", "Esra", "Femi", "Grace", "Hiro", "Ines", "Jan"];
const VERBS = ["likes", "bought", "visited", "is learning", "works on", "sold", "dreams of", "wrote about"];
const PLACES = ["Lisbon", "Kyoto", "Accra", "Oslo", "Quito", "Hanoi", "Porto", "Cusco", "Turin", "Galway"];
const SYLLABLES = ["ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "zo"];

const pick = <T>(list: readonly T[], random: () => number): T =>
  list[Math.floor(random() * list.length)] as T;

/** Mulberry32: the same numbers in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Rare words are many and common ones few, as in speech. */
function word(random: () => number): string {
  const rank = Math.floor(3_000 * random() ** 3);
  return [rank % 12, Math.floor(rank / 12) % 12, Math.floor(rank / 144) % 12, (rank * 7) % 12]
    .map((at) => SYLLABLES[at])
    .join("");
}

/** The `index`-th made-up fact: eight to ten words, some of which stand in many others. */
function madeUpFact(index: number, random: () => number): string {
  const about = [word(random), word(random), word(random)].join(" ");
  return `${pick(PEOPLE, random)} ${pick(VERBS, random)} ${about} in ${pick(PLACES, random)} ${index}`;
}

/** What is remembered: told by itself, said at a place of a conversation, or quoted from a user's message there. */
export const factSources = ["told", "said", "quoted"] as const;
export type FactSource = (typeof factSources)[number];

const CONVERSATIONS = 30;

/** The `index`-th made-up fact, as it is handed to `remember`. Every seventh quotation asks something. */
export function madeUpMemory(
  source: FactSource,
  index: number,
  random: () => number,
): readonly [string, RememberOptions] {
  const text = madeUpFact(index, random);
  const provenance = { conversationId: `conversation ${index % CONVERSATIONS}`, position: index };
  switch (source) {
    case "told":
      return [text, {}];
    case "said":
      return [text, { provenance }];
    case "quoted":
      return [index % 7 === 0 ? `${text}?` : text, { provenance, quotation: { from: "message" } }];
  }
}

/** A question of five words, most of which stand somewhere. */
export const madeUpQuestion = (random: () => number): string =>
  `What did ${pick(PEOPLE, random)} say of ${word(random)} and ${word(random)} in ${pick(PLACES, random)}?`;
