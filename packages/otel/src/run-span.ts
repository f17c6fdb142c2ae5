import type { RunOutcome, TraceEvent } from "@jaf/core";
import type { RunId } from "@jaf/memory";
import { type Context, context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { endChat } from "./chat.ts";
import { GEN_AI, JAF } from "./conventions.ts";
import { conflictReason, errorTypeOfRun } from "./error-type.ts";
import { set } from "./metrics.ts";
import { type OpenSpan, type RunRecord, withRun } from "./runs.ts";
import type { Scope } from "./scope.ts";

type Started = Extract<TraceEvent, { readonly type: "run_start" }>;

/** Adds a run that has just begun. `parent`: the context of its span. Its span opens when its agent is known. */
export function beginRun({ runs }: Scope, event: Started, parent: Context = context.active()): RunRecord {
  const run: RunRecord = {
    runId: event.runId,
    traceId: event.data.traceId,
    conversationId: event.conversationId,
    startedAt: event.time ?? Date.now(),
    begun: performance.now(),
    parent,
    open: undefined,
    agentName: undefined,
    firstAgent: undefined,
    chat: undefined,
    tools: new Map(),
    steps: 0,
    chats: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: undefined,
    repaired: 0,
    finishReason: undefined,
  };
  runs.add(run);
  return run;
}

/** The key by which an interrupted run and the run that continues it find each other. */
const continuationKey = ({ conversationId, runId }: RunRecord): string | RunId | undefined =>
  conversationId ?? runId;

/** Opens the span of a run, unless it is open. `startTime`: in ms since 1970; absent: now. */
export function openRun(scope: Scope, run: RunRecord, startTime?: number): OpenSpan {
  if (run.open !== undefined) return run.open;
  const { firstAgent, parent, conversationId, runId, traceId } = run;
  const key = continuationKey(run);
  const before = key === undefined ? undefined : scope.runs.takeInterrupted(key);
  const span = scope.tracer.startSpan(
    firstAgent === undefined ? "invoke_agent" : `invoke_agent ${firstAgent}`,
    {
      kind: SpanKind.INTERNAL,
      attributes: set({
        [GEN_AI.operation]: "invoke_agent",
        [GEN_AI.agentName]: firstAgent,
        [GEN_AI.conversationId]: conversationId,
        [JAF.runId]: runId,
        [JAF.traceId]: traceId,
      }),
      ...(startTime !== undefined && { startTime }),
      ...(before !== undefined && { links: [{ context: before }] }),
    },
    parent,
  );
  run.open = { span, context: withRun(trace.setSpan(parent, span), run) };
  return run.open;
}

/** Says which agent is at work. The first one names the run's span. */
export function setAgent(scope: Scope, run: RunRecord, agentName: string, startTime?: number): void {
  run.firstAgent ??= agentName;
  run.agentName = agentName;
  openRun(scope, run, startTime);
}

/** Ends the span of a run, and records the run's metrics. */
// biome-ignore lint/suspicious/noExplicitAny: an outcome of any output
export function endRun(scope: Scope, run: RunRecord, outcome: RunOutcome<any>): void {
  const { span } = openRun(scope, run, run.startedAt);
  const errorType = outcome.status === "error" ? errorTypeOfRun(outcome.error) : undefined;
  const conflict =
    outcome.status === "error" && outcome.error._tag === "MemoryError"
      ? conflictReason(outcome.error.error)
      : undefined;
  // A run without a step has called nothing: it told what an earlier execution had stored.
  const isReplay = outcome.status !== "error" && run.steps === 0;
  span.setAttributes(
    set({
      [JAF.outcome]: outcome.status,
      [JAF.replayed]: isReplay || undefined,
      [JAF.conflictReason]: conflict,
      [JAF.cost]: run.cost,
      [GEN_AI.errorType]: errorType,
      [GEN_AI.finishReasons]: run.finishReason === undefined ? undefined : [run.finishReason],
      [GEN_AI.inputTokens]: run.inputTokens || undefined,
      [GEN_AI.outputTokens]: run.outputTokens || undefined,
    }),
  );
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  // An aborted run doesn't wait for its model.
  if (run.chat?.open !== undefined) endChat(scope, run.chat, { run, end: { status: "error" } });
  endOpenTools(run);
  span.end();
  rememberInterruption(scope, run, { outcome: outcome.status, span });
  scope.runs.remove(run);
  const instruments = scope.instruments();
  const agent = set({ [GEN_AI.agentName]: run.firstAgent });
  const seconds = (performance.now() - run.begun) / 1000;
  instruments.agentDuration.record(seconds, set({ ...agent, [GEN_AI.errorType]: errorType }));
  instruments.inferenceCalls.record(run.chats, agent);
  instruments.toolCalls.record(run.toolCalls, agent);
  if (isReplay) instruments.replays.add(1, agent);
  if (conflict !== undefined) instruments.conflicts.add(1, { ...agent, [JAF.conflictReason]: conflict });
  if (run.repaired > 0) instruments.sanitizerRepairs.add(run.repaired, agent);
  if (outcome.status === "error" && outcome.error._tag === "ContinuationRejected")
    instruments.refusedContinuations.add(1, { ...agent, [JAF.rejectionCode]: outcome.error.code });
}

/** Ends the spans of calls that got no result: the run was aborted, or their agents wait. */
function endOpenTools({ tools }: RunRecord): void {
  for (const { span } of tools.values()) {
    span.setAttribute(JAF.toolStatus, "unfinished");
    span.end();
  }
}

interface Ended {
  readonly outcome: RunOutcome<unknown>["status"];
  readonly span: Span;
}

function rememberInterruption({ runs }: Scope, run: RunRecord, { outcome, span }: Ended): void {
  const key = continuationKey(run);
  if (outcome === "interrupted" && key !== undefined && trace.isSpanContextValid(span.spanContext()))
    runs.interrupted(key, span.spanContext());
}
