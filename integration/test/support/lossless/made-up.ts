import { below, pick, type Random, randomNumbers } from "../random.ts";
import { callKey, type ToolAnswer } from "./plan.ts";
import type { Spoken, SpokenStep, SpokenTurn } from "./spoken.ts";

const TOOLS = ["find_flights", "book", "refund"];
const APPROVALS = ["refund"];
/** One pixel. */
const IMAGE = {
  type: "media",
  mediaType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
} as const;
const WORDS = [
  "flight",
  "Zürich",
  "到着",
  "🛫 gate",
  "seat",
  "“quoted”",
  "line\nbreak",
  "<b>bold</b>",
  "\\u0041",
  "refund",
];

/** A random conversation, the same for the same seed. */
export function madeUpConversation(seed: number): Spoken {
  const random = randomNumbers(seed);
  const results = new Map<string, readonly ToolAnswer[]>();
  const sentence = () => Array.from({ length: 1 + below(random, 8) }, () => pick(random, WORDS)).join(" ");
  const text = () => ({ type: "text", text: sentence() }) as const;
  const answer = (): ToolAnswer => {
    const kind = below(random, 6);
    if (kind === 0) return { found: [sentence()], count: 1 };
    return kind === 1 ? { parts: [text(), IMAGE] } : sentence();
  };
  let calls = 0;
  const call = () => {
    const name = pick(random, TOOLS);
    const input = {
      number: calls++,
      to: pick(random, WORDS),
      more: { nested: [below(random, 9), null, sentence()] },
    };
    results.set(callKey(name, input), [answer()]);
    return { name, input };
  };
  const step = (random: Random): SpokenStep => ({
    ...(below(random, 3) === 0 ? { text: sentence() } : {}),
    calls: Array.from({ length: 1 + below(random, 3) }, call),
  });
  const turns = Array.from(
    { length: 3 + below(random, 5) },
    (): SpokenTurn => ({
      said: below(random, 6) === 0 ? [text(), IMAGE] : sentence(),
      steps: [
        ...Array.from({ length: below(random, 4) }, () => step(random)),
        { text: sentence(), calls: [] },
      ],
    }),
  );
  return { name: `made up ${seed}`, turns, tools: TOOLS, approvals: APPROVALS, results };
}
