// biome-ignore-all lint/suspicious/noExplicitAny: verbatim
// biome-ignore-all lint/correctness/noUnusedFunctionParameters: verbatim
import {
  createRunId,
  createTraceId,
  type RunId as OurRunId,
  type TraceEvent as OurTraceEvent,
  type TraceId as OurTraceId,
  type RunId,
  type RunResult,
  type TraceId,
} from "@jaf/core";
import { assertType, type Same } from "./support.ts";

declare namespace Spec {
  export type TraceId = string & { readonly _brand: "TraceId" };
  export type RunId = string & { readonly _brand: "RunId" };

  export type TraceEvent =
    | { type: "run_start"; data: { runId: RunId; traceId: TraceId } }
    | { type: "llm_call_start"; data: { agentName: string; model: string } }
    | { type: "tool_call_start"; data: { toolName: string; args: any } }
    | { type: "handoff"; data: { from: string; to: string } }
    | { type: "run_end"; data: { outcome: RunResult<any>["outcome"] } };
}

assertType<Same<Spec.TraceId, OurTraceId>>();
assertType<Same<Spec.RunId, OurRunId>>();

// Every documented event is one of ours, and ours can be read as documented.
export const toOurs = (event: Spec.TraceEvent): OurTraceEvent => event;
export const toSpec = (
  event: Extract<OurTraceEvent, { readonly type: Spec.TraceEvent["type"] }>,
): Spec.TraceEvent => event;

// These are string types at runtime but distinct types at compile time
const traceId = createTraceId("trace-123");
const runId = createRunId("run-456");

// TypeScript prevents mixing them up
function processRun(runId: RunId) {
  /* ... */
}
processRun(runId);
// @ts-expect-error
processRun(traceId); // TypeScript error!

export function processTrace(traceId: TraceId, runId: RunId) {
  // Types ensure correct IDs are passed
}
