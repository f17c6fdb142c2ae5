import type { Message, RichToolCall } from "@jaf/memory";
import type { RunScope } from "../engine/run-scope.ts";
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
export function callInfo({ id }: RichToolCall, source: CallSource): ToolCallInfo {
  const { scope, agentName, callScope, limit } = source;
  let turn: ToolCallTurn | undefined;
  return Object.freeze({
    toolCallId: id,
    idempotencyKey: `${callScope}:${id}`,
    // Most tools read neither this nor `turn`, and to make them costs more than all the rest.
    get signal() {
      return limit.signal;
    },
    runId: scope.runId,
    traceId: scope.traceId,
    agentName,
    get turn() {
      turn ??= turnOf(source);
      return turn;
    },
  });
}

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
