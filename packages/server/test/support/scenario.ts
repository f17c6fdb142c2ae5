import { type Agent, createTool, type ModelProvider } from "@jaf/core";
import * as z from "zod";

/** For tests with external clients: a tool, one that waits for an approval, and a model for {@link scenarioModel}'s texts. */
export const scenarioAgent: Agent<unknown, string> = {
  name: "clerk",
  instructions: "Be brief.",
  tools: [
    createTool({
      name: "add",
      description: "Adds",
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => String(a + b),
    }),
    createTool({
      name: "pay",
      description: "Pays",
      parameters: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: ({ amount }) => `paid ${amount}`,
    }),
  ],
};

/** The model's replies to each text in any conversation: one per step of the turn. The last one is repeated. */
const REPLIES: Readonly<Record<string, readonly Step[]>> = {
  "Add.": [
    { words: ["Let me ", "see. "], call: ["add", { a: 1, b: 2 }] },
    { words: ["And "], call: ["add", { a: 1, b: 3 }] },
    { words: ["There. ", "It is ", "done."], pauseMs: 20 },
  ],
  "Pay.": [{ words: [], call: ["pay", { amount: 5 }] }, { words: ["Paid."] }],
  // Continues until it is stopped.
  "Talk.": [{ words: ["So far, ", "so good"], isEndless: true }],
  "Slowly.": [{ words: ["Zero, ", "one, ", "two, ", "three."], pauseMs: 200 }],
};

/** The replies to "Add." */
export const ADDED = ["Let me see. ", "And ", "There. It is done."];

interface Step {
  readonly words: readonly string[];
  readonly call?: readonly [name: string, args: object];
  readonly pauseMs?: number;
  readonly isEndless?: true;
}

const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });

/** A model that replies by the text of the last user message. */
export const scenarioModel: ModelProvider<unknown> = {
  getCompletion: () => Promise.reject(new Error("only streams")),
  getCompletionStream: async function* ({ messages }, _agent, { signal }) {
    const user = messages.findLastIndex(({ role }) => role === "user");
    const steps = REPLIES[String(messages[user]?.content)] ?? [];
    const done = messages.slice(user).filter(({ role }) => role === "assistant").length;
    const { words, call, pauseMs = 0, isEndless } = steps[done] ?? steps.at(-1) ?? { words: ["What?"] };
    for (const text of words) {
      if (pauseMs > 0) await pause(pauseMs, signal);
      yield { type: "text_delta", text };
    }
    if (isEndless === true) await pause(30_000, signal);
    if (call !== undefined) {
      const [name, args] = call;
      yield {
        type: "tool_call_delta",
        index: 0,
        id: crypto.randomUUID(),
        name,
        arguments: JSON.stringify(args),
      };
    }
    yield { type: "done" };
  },
};
