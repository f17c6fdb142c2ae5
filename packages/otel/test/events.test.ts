import { createRunId, createTraceId, type TraceEvent } from "@jaf/core";
import { expect, it } from "vitest";
import { testTelemetry, treeOf } from "./support/sdk.ts";

const outer = createRunId("outer");
const traceId = createTraceId("trace");

/** The events of a run of an agent with one model call. `work` comes between its call and its end. */
function eventsOf(
  runId: ReturnType<typeof createRunId>,
  agentName: string,
  work: readonly TraceEvent[] = [],
): readonly TraceEvent[] {
  const model = `${agentName}-model`;
  const events: readonly TraceEvent[] = [
    { type: "run_start", data: { runId, traceId } },
    { type: "step_start", data: { step: 1, agentName } },
    { type: "llm_call_start", data: { agentName, model } },
    { type: "llm_call_end", data: { agentName, model, status: "success", attempts: 1, durationMs: 1 } },
    ...work,
    { type: "run_end", data: { outcome: { status: "completed", output: "done" } } },
  ];
  return events.map((event) => ({ runId, conversationId: `c-${runId}`, ...event }));
}

/** The events of an inner run, as the outer run's. */
const within = (call: string, inner: readonly TraceEvent[]): readonly TraceEvent[] =>
  inner.map((event) => {
    const {
      depth,
      path,
      event: own,
    } = event.type === "inner_event" ? event.data : { depth: 0, path: [], event };
    return { type: "inner_event", data: { depth: depth + 1, path: [call, ...path], event: own } };
  });

const called = (
  toolCallId: string,
  toolName: string,
  inner: readonly TraceEvent[],
): readonly TraceEvent[] => [
  { type: "tool_call_start", data: { toolName, toolCallId, args: {} } },
  ...within(toolCallId, inner),
  {
    type: "tool_call_end",
    data: { toolName, toolCallId, status: "success", durationMs: 1, result: "done" },
  },
];

/** Interleaves two lists, as two calls at once do. */
const atOnce = (one: readonly TraceEvent[], other: readonly TraceEvent[]): readonly TraceEvent[] =>
  one.flatMap((event, index) => [event, ...(other[index] === undefined ? [] : [other[index]])]);

it("events alone make the tree of agents, with the same call ids at each depth", () => {
  const { telemetry, spans } = testTelemetry();
  const { onEvent } = telemetry.instrument<{ readonly onEvent?: (event: TraceEvent) => void }>({});
  const intern = (id: string) => eventsOf(createRunId(id), "intern");
  const expert = (id: string) =>
    eventsOf(createRunId(id), "expert", called("call_1", "intern", intern(`${id}-i`)));
  const work = atOnce(called("call_1", "expert", expert("e1")), called("call_2", "expert", expert("e2")));
  for (const event of eventsOf(outer, "front", work)) onEvent?.(event);
  const below = {
    "execute_tool expert": [
      {
        "invoke_agent expert": [
          "chat expert-model",
          { "execute_tool intern": [{ "invoke_agent intern": ["chat intern-model"] }] },
        ],
      },
    ],
  };
  expect(treeOf(spans())).toEqual([{ "invoke_agent front": ["chat front-model", below, below] }]);
});

it("events of runs that aren't known, and calls without an end, do no harm", () => {
  const { telemetry, spans } = testTelemetry();
  const { onEvent } = telemetry.instrument<{ readonly onEvent?: (event: TraceEvent) => void }>({});
  onEvent?.({ type: "step_start", runId: createRunId("unknown"), data: { step: 1, agentName: "a" } });
  const open: TraceEvent = {
    type: "tool_call_start",
    runId: outer,
    data: { toolName: "wait", toolCallId: "call_9", args: {} },
  };
  for (const event of eventsOf(outer, "front", [open])) onEvent?.(event);
  expect(treeOf(spans())).toEqual([{ "invoke_agent front": ["chat front-model", "execute_tool wait"] }]);
  expect(spans().find(({ name }) => name === "execute_tool wait")?.attributes["jaf.tool.status"]).toBe(
    "unfinished",
  );
});

it("a model call without an end ends with its run", () => {
  const { telemetry, spans } = testTelemetry();
  const { onEvent } = telemetry.instrument<{ readonly onEvent?: (event: TraceEvent) => void }>({});
  const events = eventsOf(outer, "front").filter(({ type }) => type !== "llm_call_end");
  const retry = { agentName: "front", attempt: 1, delayMs: 1, reason: "", discardText: false };
  for (const event of events.toSpliced(3, 0, { type: "llm_retry", runId: outer, data: retry }))
    onEvent?.(event);
  expect(treeOf(spans())).toEqual([{ "invoke_agent front": ["chat front-model"] }]);
});
