import type { Message, RichToolCall } from "@jaf/memory";
import type { TimeLimit } from "../limits/time-limit.ts";
import type { RunScope, UserTurn } from "../run-scope.ts";
import { lastUserMessages, positionOfMessages } from "../stored/user-messages.ts";
import type { ToolCallInfo, ToolCallTurn } from "../tools/tool.ts";

interface CallSource {
  // biome-ignore lint/suspicious/noExplicitAny: runs differ in their contexts
  readonly scope: RunScope<any>;
  readonly agentName: string;
  readonly callScope: string;
  readonly messages: readonly Message[];
  /** The time limit of the tool's execution. */
  readonly limit: Pick<TimeLimit, "signal">;
}

/** Returns the information about a call that its tool gets. */
export function callInfo({ id }: RichToolCall, source: CallSource): ToolCallInfo {
  const { scope, agentName, callScope, limit } = source;
  let turn: ToolCallTurn | undefined;
  return Object.freeze({
    toolCallId: id,
    idempotencyKey: `${callScope}:${id}`,
    // Getters, because most tools use neither `signal` nor `turn`, and creating them costs more than everything else here.
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

function turnOf({ scope, messages }: CallSource): ToolCallTurn {
  return Object.freeze({
    messages: Object.freeze([...messages]),
    ...userTurnOf(scope, messages),
  });
}

/**
 * Returns what the user said in this turn, and where it is stored. An inner run (see `asTool`) has no words of the user
 * itself: its user message is what a model wrote.
 */
export function userTurnOf(
  { outerTurn, journal, config, startedAt }: CallSource["scope"],
  messages: readonly Message[],
): UserTurn {
  if (outerTurn !== undefined) return outerTurn;
  const userMessages = lastUserMessages(messages);
  return {
    userMessages: Object.freeze(userMessages),
    position: journal && positionOfMessages(journal, userMessages),
    conversationId: config.conversationId,
    startedAt,
  };
}
