import * as core from "@jaf/core";
import * as z from "zod";
import { loadXynehq } from "../peers.ts";
import { duration, ratio } from "../report/format.ts";
import type { Check } from "../results.ts";
import { type Contender, type Measured, measure } from "../statistics.ts";
import type { Part } from "./part.ts";

interface EngineModule {
  // biome-ignore lint/suspicious/noExplicitAny: two engines whose types don't know each other are called alike
  readonly run: any;
  // biome-ignore lint/suspicious/noExplicitAny: two majors of zod
  readonly z: any;
}

interface Scenario {
  readonly title: string;
  readonly toolTurns: number;
  readonly history: number;
  /** The most that ours may take, as a part of theirs. */
  readonly target?: number;
}

const scenarios: readonly Scenario[] = [
  { title: "no tool", toolTurns: 0, history: 0 },
  { title: "10 tool turns", toolTurns: 10, history: 0, target: 0.3 },
  { title: "no tool, 1,000 messages of history", toolTurns: 0, history: 1_000 },
  { title: "10 tool turns, 1,000 messages of history", toolTurns: 10, history: 1_000, target: 0.8 },
];

const historyOf = (length: number) =>
  Array.from({ length }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `Message ${n} ${"of the history ".repeat(30)}`,
  }));

const addTool = ({ z }: EngineModule) => ({
  schema: {
    name: "add",
    description: "Adds two numbers",
    parameters: z.object({ a: z.number(), b: z.number() }),
  },
  execute: async ({ a, b }: { a: number; b: number }) => String(a + b),
});

function instantModel(toolTurns: number) {
  let calls = 0;
  const getCompletion = async () => {
    calls += 1;
    if (calls > toolTurns) return { message: { content: "done" } };
    const call = {
      id: `call-${calls}`,
      type: "function",
      function: { name: "add", arguments: '{"a":1,"b":2}' },
    };
    return { message: { content: "", tool_calls: [call] } };
  };
  const restart = () => {
    calls = 0;
  };
  return { getCompletion, restart };
}

function contender(name: string, engine: EngineModule, { toolTurns, history }: Scenario): Contender {
  const { getCompletion, restart } = instantModel(toolTurns);
  const agent = {
    name: "bench",
    instructions: () => "Add numbers.",
    tools: [addTool(engine)],
    modelConfig: { name: "instant" },
  };
  const messages = [...historyOf(history), { role: "user" as const, content: "Add them up." }];
  const config = {
    agentRegistry: new Map([["bench", agent]]),
    modelProvider: { getCompletion },
    maxTurns: 50,
  };
  return {
    name,
    once: async () => {
      restart();
      const state = {
        runId: core.createRunId("run"),
        traceId: core.createTraceId("trace"),
        messages,
        currentAgentName: "bench",
        context: {},
        turnCount: 0,
      };
      const { outcome, finalState } = await engine.run(state, config);
      const kept = finalState.messages.length - messages.length;
      if (outcome.status !== "completed" || kept !== 2 * toolTurns + 1) {
        throw new Error(`${name} did not do the work: ${JSON.stringify(outcome)}, ${kept} new messages`);
      }
    },
  };
}

const checksOf = ({ title, target }: Scenario, ours: Measured, theirs: Measured): readonly Check[] =>
  target === undefined
    ? []
    : [
        {
          what: `${title}: p50 as a part of theirs`,
          measured: ours.p50 / theirs.p50,
          rule: "at most",
          target,
          unit: "×",
        },
      ];

/** The same run on both engines, with a model and a tool that answer at once: what remains is the engine. */
export const engine: Part = async (lab, { quick }) => {
  const xynehq = (await loadXynehq()) as EngineModule;
  const rows: string[][] = [];
  const checks: Check[] = [];
  for (const scenario of scenarios) {
    lab.progress(scenario.title);
    const contenders = [
      contender("jaf", { run: core.run, z }, scenario),
      contender("peer", xynehq, scenario),
    ];
    const of = await measure(contenders, quick ? { warmUp: 10, rounds: 50 } : { warmUp: 300, rounds: 2_000 });
    const [ours, theirs] = [of("jaf"), of("peer")];
    const times = [ours.p50, ours.p99, theirs.p50, theirs.p99].map(duration);
    rows.push([scenario.title, ...times, ratio(ours.p50 / theirs.p50)]);
    checks.push(...checksOf(scenario, ours, theirs));
  }
  const columns = ["", "JAF p50", "p99", "@xynehq/jaf p50", "p99", "JAF to theirs"];
  return { part: "engine", table: { columns, rows }, checks, plots: [] };
};
