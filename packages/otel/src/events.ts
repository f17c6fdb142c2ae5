import type { TraceEvent } from "@jaf/core";
import type { Attributes } from "@opentelemetry/api";
import { endChat, newChat, openChat } from "./chat.ts";
import { EVENTS, GEN_AI } from "./conventions.ts";
import { set } from "./metrics.ts";
import { beginRun, endRun, openRun, setAgent } from "./run-span.ts";
import type { RunRecord, ToolCall } from "./runs.ts";
import type { Scope } from "./scope.ts";
import { endTool, openTool } from "./tool-span.ts";

type DataOf<Type extends TraceEvent["type"]> = Extract<TraceEvent, { readonly type: Type }>["data"];

/** Makes spans and metrics of an event. `caller`: the call of the tool that runs the agent of an inner run. */
export function observe(scope: Scope, event: TraceEvent, caller?: ToolCall): void {
  if (event.type === "run_start") {
    const run = beginRun(scope, event, caller?.context);
    if (caller !== undefined) caller.inner = run;
    return;
  }
  const run = scope.runs.find(event.runId);
  if (run === undefined) return;
  const note = (name: string, attributes: Readonly<Record<string, Attributes[string]>>) =>
    openRun(scope, run, run.startedAt).span.addEvent(name, set(attributes));
  switch (event.type) {
    case "step_start":
      run.steps += 1;
      setAgent(scope, run, event.data.agentName, run.startedAt);
      return;
    case "llm_call_start":
      run.chat = newChat(event.data.model, event.data.agentName);
      run.chats += 1;
      return;
    case "context":
      context(scope, run, event.data);
      return;
    case "llm_retry":
      retry(scope, run, event.data);
      return;
    case "llm_fallback":
      note(EVENTS.fallback, { from: event.data.from, to: event.data.to });
      return;
    case "llm_call_end":
      callEnd(scope, run, event.data);
      return;
    case "output_repair":
      note(EVENTS.outputRepair, { repair: event.data.repair, issue_count: event.data.issueCount });
      scope.instruments().outputRepairs.add(1, { [GEN_AI.agentName]: event.data.agentName });
      return;
    case "tool_call_start":
      openTool(scope, run, event.data);
      return;
    case "tool_call_end":
      endTool(scope, run, event.data);
      return;
    case "interruption": {
      const { type, toolName, toolCallId } = event.data.interruption;
      note(EVENTS.interruption, { type, [GEN_AI.toolName]: toolName, [GEN_AI.toolCallId]: toolCallId });
      return;
    }
    case "handoff":
      note(EVENTS.handoff, { from: event.data.from, to: event.data.to });
      return;
    case "handoff_denied":
      // The denied name is the model's own words.
      note(EVENTS.handoffDenied, { from: event.data.from, reason: event.data.reason });
      return;
    case "inner_event":
      observe(scope, event.data.event, toolAt(run, event.data.path));
      return;
    case "memory_retry":
      note(EVENTS.memoryRetry, { attempt: event.data.attempt, delay_ms: event.data.delayMs });
      return;
    case "middleware_failed":
      note(EVENTS.middlewareFailed, { name: event.data.name, hook: event.data.hook });
      return;
    case "guardrail_tripped":
      note(EVENTS.guardrail, { stage: event.data.stage });
      return;
    case "run_end":
      endRun(scope, run, event.data.outcome);
      return;
    case "memory_loaded":
    case "memory_stored":
    case "llm_delta":
    case "llm_reasoning_delta":
    case "llm_part":
    case "llm_tool_call_delta":
    case "llm_retract":
    case "assistant_message":
      return;
  }
}

/** Returns the tool call at the end of the path. `undefined`: it isn't known. */
function toolAt(outer: RunRecord, path: readonly string[]): ToolCall | undefined {
  let tool: ToolCall | undefined;
  for (const id of path) {
    tool = (tool === undefined ? outer : tool.inner)?.tools.get(id);
    if (tool === undefined) return undefined;
  }
  return tool;
}

function context(scope: Scope, run: RunRecord, manifest: DataOf<"context">): void {
  const { counts, ranges, compaction, summary } = manifest;
  const leftOut = ranges.filter(({ reason }) => reason === "not-replayable");
  const repaired = leftOut.reduce((sum, { from, to }) => sum + to - from + 1, counts.repaired);
  // Each model call of a run has the same repairs.
  run.repaired = Math.max(run.repaired, repaired);
  const { chat } = run;
  if (chat === undefined) return;
  chat.isCompacted = summary !== undefined;
  if (compaction === undefined) return;
  const { outcome, messages, durationMs } = compaction;
  openRun(scope, run, run.startedAt).span.addEvent(EVENTS.compaction, {
    outcome,
    messages,
    duration_ms: durationMs,
  });
}

function retry(scope: Scope, run: RunRecord, { attempt, delayMs }: DataOf<"llm_retry">): void {
  const { chat } = run;
  if (chat === undefined) return;
  const { span } = openChat(scope, chat, { run, startTime: chat.startedAt });
  span.addEvent(EVENTS.retry, set({ attempt, delay_ms: delayMs, [GEN_AI.errorType]: chat.errorType }));
  chat.isDue = true;
}

function callEnd(scope: Scope, run: RunRecord, end: DataOf<"llm_call_end">): void {
  const { usage, cost } = end;
  run.inputTokens += usage?.inputTokens ?? 0;
  run.outputTokens += usage?.outputTokens ?? 0;
  if (cost !== undefined) run.cost = (run.cost ?? 0) + cost;
  run.finishReason = end.finishReason;
  const chat = run.chat ?? newChat(end.model, end.agentName);
  run.chat = undefined;
  endChat(scope, chat, { run, end });
}
