import type { Message, RichToolCall } from "@jaf/memory";
import type { RunScope } from "../engine/run-scope.ts";
import { type FieldFactories, NOT_COMPUTED, withLazyFields } from "../immutable/lazy-fields.ts";
import { lastUserMessages, positionOf } from "../middleware/user-messages.ts";
import type { TimeLimit } from "../timing/time-limit.ts";
import type { ToolCallInfo, ToolCallTurn } from "./tool.ts";

interface CallSource {
  // biome-ignore lint/suspicious/noExplicitAny: runs differ in their contexts
  readonly scope: RunScope<any>;
  readonly agentName: string;
  readonly callScope: string;
  readonly messages: readonly Message[];
  /** Of the execution. */
  readonly limit: Pick<TimeLimit, "signal">;
}

/** The info that a tool gets about its call. */
export const callInfo = ({ id }: RichToolCall, source: CallSource): ToolCallInfo =>
  withLazyFields<ToolCallInfo, CallSource>(
    {
      toolCallId: id,
      idempotencyKey: `${source.callScope}:${id}`,
      signal: NOT_COMPUTED as AbortSignal,
      runId: source.scope.runId,
      traceId: source.scope.traceId,
      agentName: source.agentName,
      turn: NOT_COMPUTED as ToolCallTurn,
    },
    FACTORIES,
    source,
  );

const FACTORIES: FieldFactories<ToolCallInfo, CallSource> = {
  signal: ({ limit }) => limit.signal,
  turn: turnOf,
};

function turnOf({ scope: { journal, config, startedAt }, messages }: CallSource): ToolCallTurn {
  const said = lastUserMessages(messages);
  return Object.freeze({
    messages: Object.freeze([...messages]),
    said: Object.freeze(said),
    position: journal && positionOf(journal, said),
    conversationId: config.conversationId,
    startedAt,
  });
}
