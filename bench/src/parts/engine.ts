import { createRunId, createTraceId, type ModelProvider, run, type Tool } from "@jaf/core";
import * as z from "zod";
import { duration } from "../report.ts";
import { type Contender, measure } from "../statistics.ts";
import type { Part } from "./part.ts";

interface Scenario {
  readonly title: string;
  readonly toolTurns: number;
  readonly history: number;
}

const scenarios: readonly Scenario[] = [
  { title: "no tool", toolTurns: 0, history: 0 },
  { title: "10 tool turns", toolTurns: 10, history: 0 },
  { title: "no tool, 1,000 messages of history", toolTurns: 0, history: 1_000 },
  { title: "10 tool turns, 1,000 messages of history", toolTurns: 10, history: 1_000 },
];

const historyOf = (length: number) =>
  Array.from({ length }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `Message ${n} ${"of the history ".repeat(30)}`,
  }));

const addTool: Tool<{ a: number; b: number }, object> = {
  schema: {
    name: "add",
    description: "Adds two numbers",
    parameters: z.object({ a: z.number(), b: z.number() }),
  },
  execute: async ({ a, b }) => String(a + b),
};

/** Calls the tool this many times and then answers, both without delay. */
function instantModel(toolTurns: number): ModelProvider<object> {
  let calls = 0;
  return {
    getCompletion: async () => {
      calls += 1;
      if (calls > toolTurns) {
        calls = 0;
        return { message: { content: "done" } };
      }
      const call = {
        id: `call-${calls}`,
        type: "function" as const,
        function: { name: "add", arguments: '{"a":1,"b":2}' },
      };
      return { message: { content: "", tool_calls: [call] } };
    },
  };
}

function contender({ title, toolTurns, history }: Scenario): Contender {
  const agent = {
    name: "bench",
    instructions: () => "Add numbers.",
    tools: [addTool],
    modelConfig: { name: "instant" },
  };
  const messages = [...historyOf(history), { role: "user" as const, content: "Add them up." }];
  const config = {
    agentRegistry: new Map([["bench", agent]]),
    modelProvider: instantModel(toolTurns),
    maxTurns: 50,
  };
  return {
    name: title,
    once: async () => {
      const state = {
        runId: createRunId("run"),
        traceId: createTraceId("trace"),
        messages,
        currentAgentName: "bench",
        context: {},
        turnCount: 0,
      };
      const { outcome, finalState } = await run(state, config);
      const kept = finalState.messages.length - messages.length;
      if (outcome.status !== "completed" || kept !== 2 * toolTurns + 1)
        throw new Error(`The run failed: ${JSON.stringify(outcome)}, ${kept} new messages`);
    },
  };
}

/** Runs with a model and a tool that answer immediately, so only the engine takes time. */
export const engine: Part = async (_, { quick }) => {
  const plan = quick ? { warmUp: 10, rounds: 50 } : { warmUp: 300, rounds: 2_000 };
  const of = await measure(scenarios.map(contender), plan);
  const rows = scenarios.map(({ title }) => [title, duration(of(title).p50), duration(of(title).p99)]);
  return { table: { columns: ["", "p50", "p99"], rows }, checks: [] };
};
