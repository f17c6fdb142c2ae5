import { readToolResult, ToolErrorCodes, type TraceEvent } from "@jaf/core";
import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { valueJson } from "./content.ts";
import { GEN_AI, JAF } from "./conventions.ts";
import { errorTypeOfTool, OTHER } from "./error-type.ts";
import { set } from "./metrics.ts";
import { openRun } from "./run-span.ts";
import type { RunRecord, ToolCall } from "./runs.ts";
import type { Scope } from "./scope.ts";

type Started = Extract<TraceEvent, { readonly type: "tool_call_start" }>["data"];
type Ended = Extract<TraceEvent, { readonly type: "tool_call_end" }>["data"];

/** All tools of JAF are functions that the application runs. */
const TYPE = "function";

/** Opens the span of a tool call. */
export function openTool(scope: Scope, run: RunRecord, { toolName, toolCallId, args }: Started): void {
  const { context } = openRun(scope, run, run.startedAt);
  const { agentName } = run;
  const span = scope.tracer.startSpan(
    `execute_tool ${toolName}`,
    {
      kind: SpanKind.INTERNAL,
      attributes: set({
        [GEN_AI.operation]: "execute_tool",
        [GEN_AI.toolName]: toolName,
        [GEN_AI.toolType]: TYPE,
        [GEN_AI.toolCallId]: toolCallId,
        [GEN_AI.agentName]: agentName,
        [GEN_AI.conversationId]: run.conversationId,
        [GEN_AI.toolArguments]: scope.content ? valueJson(args) : undefined,
      }),
    },
    context,
  );
  const tool: ToolCall = {
    name: toolName,
    agentName,
    span,
    context: trace.setSpan(context, span),
    inner: undefined,
  };
  run.tools.set(toolCallId ?? toolName, tool);
  run.toolCalls += 1;
}

/** Ends the span of a tool call, and records the call's metrics. */
export function endTool(
  scope: Scope,
  run: RunRecord,
  { toolName, toolCallId, status, durationMs, result }: Ended,
): void {
  const key = run.tools.has(toolCallId) ? toolCallId : toolName;
  const tool = run.tools.get(key);
  if (tool === undefined) return;
  run.tools.delete(key);
  const { span, agentName } = tool;
  const errorType = status === "success" ? undefined : errorTypeOfTool(readToolResult(result)?.error?.code);
  const isUnknown = errorType === ToolErrorCodes.TOOL_NOT_FOUND;
  // The model has made this name up, so it can hold anything.
  if (isUnknown) span.updateName("execute_tool").setAttribute(GEN_AI.toolName, OTHER);
  span.setAttributes(
    set({
      [JAF.toolStatus]: status,
      [GEN_AI.errorType]: errorType,
      [GEN_AI.toolResult]: scope.content ? result : undefined,
    }),
  );
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  scope.instruments().toolDuration.record(
    durationMs / 1000,
    set({
      [GEN_AI.toolName]: isUnknown ? OTHER : toolName,
      [GEN_AI.toolType]: TYPE,
      [GEN_AI.agentName]: agentName,
      [GEN_AI.errorType]: errorType,
    }),
  );
}
