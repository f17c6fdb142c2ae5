import { approve, type Interruption, type MemoryConfig, reject } from "@jaf/core";
import type { Script } from "./model.ts";
import type { Given } from "./process.ts";

/** The client's reaction to waiting calls. */
export interface Decided extends Given {
  /** A message sent with it. */
  readonly says?: string;
}

/** The course of a conversation without faults. */
export interface Scenario {
  readonly name: string;
  /** The user messages. Each is sent after the previous answer, or all at the same time if they are `rivals`. */
  readonly says: readonly string[];
  readonly rivals?: true;
  readonly script: Script;
  readonly decide?: (waiting: readonly Interruption[]) => Decided;
  readonly memory?: Pick<MemoryConfig, "maxMessages" | "window" | "compressionThreshold">;
  /** The most messages that a model may receive. Default: all. */
  readonly mostSent?: number;
}

const work = (label: string, ticks = 0) => [label, "work", { ticks }] as const;
const pay = (amount: number) => [`pay${amount}`, "pay", { amount }] as const;
const locate = ["locate", "locate", {}] as const;

/** Three kinds of calls in one reply, two of which wait; then a second reply with a tool. */
const shopping: Script = {
  shop: [[pay(50), locate, work("look", 1), pay(5)], [work("pack")], "Bought."],
};

const approvals = (waiting: readonly Interruption[]) =>
  waiting.flatMap((request) => (request.type === "approval" ? [approve(request)] : []));

const rejections = (waiting: readonly Interruption[]) =>
  waiting.flatMap((request) => (request.type === "approval" ? [reject(request, "too much")] : []));

const toolResults = (waiting: readonly Interruption[]) =>
  waiting.flatMap(({ type, toolCallId }) =>
    type === "client_tool" ? [{ toolCallId, result: `result of ${toolCallId}` }] : [],
  );

const tools: Script = {
  one: [[work("first", 2), work("second")], [work("third", 1)], "All done."],
  two: [[work("first")], "Done again."],
};

/** Completed, interrupted, resumed and queued runs. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "two turns with tools", says: ["one: work", "two: again"], script: tools },
  {
    name: "an approval together with the client's result",
    says: ["shop: buy"],
    script: shopping,
    decide: (waiting) => ({ approvals: approvals(waiting), toolResults: toolResults(waiting) }),
  },
  {
    name: "a rejection, then the client's result",
    says: ["shop: buy"],
    script: shopping,
    decide: (waiting) =>
      rejections(waiting).length > 0
        ? { approvals: rejections(waiting) }
        : { toolResults: toolResults(waiting) },
  },
  {
    name: "the client's result, then an approval",
    says: ["shop: buy"],
    script: shopping,
    decide: (waiting) =>
      toolResults(waiting).length > 0
        ? { toolResults: toolResults(waiting) }
        : { approvals: approvals(waiting) },
  },
  {
    name: "decisions together with a message",
    says: ["shop: buy"],
    script: { ...shopping, hurry: ["At once."] },
    decide: (waiting) => ({
      approvals: approvals(waiting),
      toolResults: toolResults(waiting),
      says: "hurry: please",
    }),
  },
  {
    name: "a message instead of a decision",
    says: ["shop: buy"],
    script: { ...shopping, stop: ["As you like."] },
    decide: () => ({ says: "stop: never mind" }),
  },
  {
    name: "a handoff together with a tool call",
    says: ["hand: over"],
    script: {
      hand: [
        [["to", "handoff", { agentName: "specialist" }], work("look", 1)],
        [work("first")],
        "I am the specialist.",
      ],
    },
  },
  {
    name: "two simultaneous runs",
    says: ["one: work", "two: again"],
    rivals: true,
    script: tools,
  },
  {
    name: "a store that keeps eight messages",
    says: ["one: work", "two: again"],
    script: tools,
    memory: { maxMessages: 8 },
  },
  {
    name: "a window of four messages, with a read of only the end",
    says: ["one: work", "two: again", "three: work"],
    script: { ...tools, three: [[work("fourth")], "Done once more."] },
    memory: { window: { memoryType: "message_window", maxMessages: 4 } },
    mostSent: 4,
  },
  {
    name: "a window of eight messages, and a summary beyond six",
    says: ["one: work", "two: again", "three: thanks"],
    script: { ...tools, three: ["You are welcome."] },
    memory: { window: { memoryType: "message_window", maxMessages: 8 }, compressionThreshold: 6 },
    mostSent: 8,
  },
];

export function scenarioNamed(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new RangeError(`no scenario is named "${name}"`);
  return found;
}
