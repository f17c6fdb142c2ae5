import { approve, type Interruption, type MemoryConfig, reject } from "@jaf/core";
import type { Script } from "./model.ts";
import type { Given } from "./process.ts";

/** What the client does about calls that wait. */
export interface Decided extends Given {
  /** Said beside it. */
  readonly says?: string;
}

/** What happens in a conversation when nothing goes wrong. */
export interface Scenario {
  readonly name: string;
  /** What the user says; the next once the last is answered, or all of it at once where they are `rivals`. */
  readonly says: readonly string[];
  readonly rivals?: true;
  readonly script: Script;
  readonly decide?: (waiting: readonly Interruption[]) => Decided;
  readonly memory?: Pick<MemoryConfig, "maxMessages" | "window" | "compressionThreshold">;
  /** How many messages a model may be sent at most. Default: all. */
  readonly mostSent?: number;
}

const work = (label: string, ticks = 0) => [label, "work", { ticks }] as const;
const pay = (amount: number) => [`pay${amount}`, "pay", { amount }] as const;
const locate = ["locate", "locate", {}] as const;

/** Three kinds of calls in one reply, of which two wait; then a second reply with a tool. */
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
    name: "an approval and the client's result at once",
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
    name: "decisions, and something said beside them",
    says: ["shop: buy"],
    script: { ...shopping, hurry: ["At once."] },
    decide: (waiting) => ({
      approvals: approvals(waiting),
      toolResults: toolResults(waiting),
      says: "hurry: please",
    }),
  },
  {
    name: "something said instead of a decision",
    says: ["shop: buy"],
    script: { ...shopping, stop: ["As you like."] },
    decide: () => ({ says: "stop: never mind" }),
  },
  {
    name: "a handoff beside a tool",
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
    name: "two runs at once",
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
    name: "a window of four messages, for which the end is read",
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
