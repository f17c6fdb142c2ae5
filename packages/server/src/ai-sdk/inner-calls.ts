import type { AiSdkToolPart } from "@jaf/ai-sdk";
import type { Interruption } from "@jaf/core";
import { nestedCallId } from "@jaf/core/internal";
import type { RichMessage } from "@jaf/memory";
import type { InnerTurnEvent } from "../turns/turn-event.ts";
import { isToolPart, streamedReply } from "./ui-messages.ts";

/** Returns the calls of agents that run as tools: the calls that aren't in the conversation's own messages. */
export function innerCallsIn(
  waiting: readonly Interruption[],
  messages: readonly RichMessage[],
): Interruption[] {
  const own = new Set(messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map(({ id }) => id)));
  return waiting.filter(({ toolCallId }) => !own.has(toolCallId));
}

/** Adds a call that waits. A call that waits again keeps its place. */
export function addWaiting(waiting: Interruption[], added: Interruption): void {
  const at = waiting.findIndex(({ toolCallId }) => toolCallId === added.toolCallId);
  waiting.splice(at === -1 ? waiting.length : at, 1, added);
}

/** Returns the part for the call that the event gives a result, if the call was among those that waited. */
export function answeredCalls(
  waiting: readonly Interruption[],
  { toolCallId, event }: InnerTurnEvent,
): readonly AiSdkToolPart[] {
  if (event.type !== "tool_end") return [];
  const id = nestedCallId(toolCallId, event.toolCallId);
  const call = waiting.findLast((each) => each.toolCallId === id);
  if (call === undefined) return [];
  const asked = {
    id,
    type: "function",
    function: { name: call.toolName, arguments: call.arguments },
  } as const;
  const messages: readonly RichMessage[] = [
    { role: "assistant", content: "", tool_calls: [asked] },
    { role: "tool", content: event.parts ?? event.result, tool_call_id: id },
  ];
  return streamedReply(messages, { interruptions: [] }).filter(isToolPart);
}
