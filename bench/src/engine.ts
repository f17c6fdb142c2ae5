import * as core from "@jaf/core";
import * as z from "zod";
import { loadXynehq } from "./peers.ts";
import type { Contender } from "./statistics.ts";

interface EngineModule {
  // biome-ignore lint/suspicious/noExplicitAny: two engines whose types don't know each other are called alike
  readonly run: any;
  // biome-ignore lint/suspicious/noExplicitAny: two majors of zod
  readonly z: any;
}

export interface EngineScenario {
  readonly title: string;
  readonly toolTurns: number;
  readonly history: number;
}

export const engineScenarios: readonly EngineScenario[] = [
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

function contender(
  name: string,
  { run, z }: EngineModule,
  { toolTurns, history }: EngineScenario,
): Contender {
  let calls = 0;
  const tool = {
    schema: {
      name: "add",
      description: "Adds two numbers",
      parameters: z.object({ a: z.number(), b: z.number() }),
    },
    execute: async ({ a, b }: { a: number; b: number }) => String(a + b),
  };
  const agent = {
    name: "bench",
    instructions: () => "Add numbers.",
    tools: [tool],
    modelConfig: { name: "instant" },
  };
  const modelProvider = {
    getCompletion: async () => {
      calls += 1;
      if (calls > toolTurns) return { message: { content: "done" } };
      const call = {
        id: `call-${calls}`,
        type: "function",
        function: { name: "add", arguments: '{"a":1,"b":2}' },
      };
      return { message: { content: "", tool_calls: [call] } };
    },
  };
  const messages = [...historyOf(history), { role: "user" as const, content: "Add them up." }];
  const agentRegistry = new Map([["bench", agent]]);
  return {
    name,
    once: async () => {
      calls = 0;
      const state = {
        runId: core.createRunId("run"),
        traceId: core.createTraceId("trace"),
        messages,
        currentAgentName: "bench",
        context: {},
        turnCount: 0,
      };
      const result = await run(state, { agentRegistry, modelProvider, maxTurns: 50 });
      const kept = result.finalState.messages.length - messages.length;
      if (result.outcome.status !== "completed" || kept !== 2 * toolTurns + 1) {
        throw new Error(
          `${name} did not do the work: ${JSON.stringify(result.outcome)}, ${kept} new messages`,
        );
      }
    },
  };
}

/** The same run on both engines, with a model and a tool that answer at once: what remains is the engine's overhead. */
export async function engineContenders(): Promise<(scenario: EngineScenario) => readonly Contender[]> {
  const xynehq = (await loadXynehq()) as EngineModule;
  return (scenario) => [
    contender("@jaf/core", { run: core.run, z }, scenario),
    contender("@xynehq/jaf", xynehq, scenario),
  ];
}
