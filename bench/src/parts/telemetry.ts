import { createRunId, createTraceId, type ModelProvider, type RunConfig, run, type Tool } from "@jaf/core";
import { createTelemetry } from "@jaf/otel";
import { context, ProxyTracerProvider } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import * as z from "zod";
import { duration } from "../report.ts";
import { type Contender, measure } from "../statistics.ts";
import type { Part } from "./part.ts";

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
    service: "instant",
    getCompletion: async () => {
      calls = calls === toolTurns ? 0 : calls + 1;
      if (calls === 0) return { message: { content: "done" } };
      const call = { id: `call-${calls}`, function: { name: "add", arguments: '{"a":1,"b":2}' } };
      return { message: { content: "", tool_calls: [call] } };
    },
  };
}

/** Takes the spans and forgets them, as fast as an exporter can be. */
const forgetful: SpanExporter = {
  export: (_: readonly ReadableSpan[], done) => done({ code: 0 }),
  shutdown: async () => undefined,
};

const WAYS = [
  "nothing",
  "an empty onEvent",
  "@jaf/otel, no SDK",
  "@jaf/otel with an SDK",
  "@jaf/otel with an SDK, with content",
] as const;
type Way = (typeof WAYS)[number];

function instrumented(way: Way, config: RunConfig<object>): RunConfig<object> {
  if (way === "nothing") return config;
  if (way === "an empty onEvent") return { ...config, onEvent: () => undefined };
  if (way === "@jaf/otel, no SDK")
    return createTelemetry({ tracer: new ProxyTracerProvider().getTracer("bench") }).instrument(config);
  const spans = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(forgetful)] });
  return createTelemetry({
    tracer: spans.getTracer("bench"),
    meter: new MeterProvider().getMeter("bench"),
    content: way === "@jaf/otel with an SDK, with content",
  }).instrument(config);
}

function contender(way: Way, toolTurns: number): Contender {
  const agent = { name: "bench", instructions: "Add.", tools: [addTool], modelConfig: { name: "instant" } };
  const config = instrumented(way, {
    agentRegistry: new Map([["bench", agent]]),
    modelProvider: instantModel(toolTurns),
  });
  let runs = 0;
  return {
    name: `${way}, ${toolTurns}`,
    once: async () => {
      const state = {
        runId: createRunId(`run-${runs++}`),
        traceId: createTraceId("trace"),
        messages: [{ role: "user", content: "Add them up." }] as const,
        currentAgentName: "bench",
        context: {},
        turnCount: 0,
      };
      const { outcome } = await run(state, config);
      if (outcome.status !== "completed") throw new Error(`The run failed: ${JSON.stringify(outcome)}`);
    },
  };
}

const TOOL_TURNS = [0, 1, 10] as const;

/**
 * Runs with a model and a tool that answer at once, without telemetry and with it. The context manager of an SDK is
 * registered for all of them, so the figures of no SDK are too high rather than too low.
 */
export const telemetry: Part = async (_, { quick }) => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const plan = quick ? { warmUp: 10, rounds: 50 } : { warmUp: 300, rounds: 2_000 };
  const of = await measure(
    TOOL_TURNS.flatMap((turns) => WAYS.map((way) => contender(way, turns))),
    plan,
  );
  const rows = WAYS.map((way) => [
    way,
    ...TOOL_TURNS.flatMap((turns) => {
      const { p50 } = of(`${way}, ${turns}`);
      return [duration(p50), (p50 / of(`${WAYS[0]}, ${turns}`).p50).toFixed(1)];
    }),
  ]);
  const columns = ["", ...TOOL_TURNS.flatMap((turns) => [`${turns} tool calls, p50`, "to nothing"])];
  return { table: { columns, rows }, checks: [] };
};
