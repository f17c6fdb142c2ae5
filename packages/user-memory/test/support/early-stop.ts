import { describe, expect, it } from "vitest";
import { MemoryUserMemory, type RememberOptions } from "../../src/index.ts";
import { randomNumbers } from "../../src/testing/random.ts";

const WORDS = Array.from(
  { length: 60 },
  (_, index) => `word${String.fromCharCode(97 + (index % 26))}${index}`,
);
const QUOTED = { quotation: { from: "message" } } as const;
const MODEL_WORDED = { trust: "inferred" } as const;

const words = (count: number, random: () => number): string =>
  Array.from({ length: count }, () => WORDS[Math.floor(WORDS.length * random() ** 2)]).join(" ");

/** The shares of quotations and model-worded facts (the rest are stated), and of questions among the quotations. */
const MIXTURES = [
  ["quotations that nearly all ask", { quoted: 1, modelWorded: 0, asking: 0.95 }],
  ["quotations alone", { quoted: 1, modelWorded: 0, asking: 0.5 }],
  ["quotations and few stated facts", { quoted: 0.97, modelWorded: 0, asking: 0.5 }],
  ["facts of all kinds", { quoted: 0.6, modelWorded: 0.3, asking: 0.5 }],
  ["facts that a model worded and few stated ones", { quoted: 0, modelWorded: 0.95, asking: 0.5 }],
] as const;

/** Compares a recall with a small limit with a full one, in randomly filled stores. */
export const describeEarlySettling = (seeds: readonly number[]) =>
  describe.each(MIXTURES)("with %s", (_name, { quoted, modelWorded, asking }) => {
    it.each(seeds)(
      "a recall with a small limit returns the start of a full recall (seed %i)",
      async (seed) => {
        const random = randomNumbers(seed);
        const memory = new MemoryUserMemory({
          limits: { maxSourceShare: 1, maxExtractedPerConversation: 100_000 },
        });
        const optionsOf = (kind: number): RememberOptions =>
          kind < quoted ? QUOTED : kind < quoted + modelWorded ? MODEL_WORDED : {};
        for (let index = 0; index < 400; index++) {
          const kind = random();
          const end = kind < quoted && random() < asking ? "?" : "";
          await memory.remember(
            "u",
            `${words(1 + Math.floor(random() * 12), random)} ${index}${end}`,
            optionsOf(kind),
          );
        }
        for (let round = 0; round < 40; round++) {
          const query = words(1 + Math.floor(random() * 4), random);
          const all = await memory.recall("u", query, { limit: 1_000 });
          const few = await memory.recall("u", query, { limit: 5 });
          expect(few.map(({ id }) => id)).toEqual(all.slice(0, 5).map(({ id }) => id));
        }
      },
    );
  });
