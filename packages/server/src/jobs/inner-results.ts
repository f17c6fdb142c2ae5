import { nestedCallId } from "@jaf/core/internal";
import type { Result } from "@jaf/memory";
import { calledTool, createFailure, createSuccess } from "@jaf/memory/internal";
import type { InnerTurnEvent, TurnEvent } from "../turns/turn-event.ts";
import { callsOf, resultEvent } from "./missing-events.ts";
import type { TurnSettings } from "./turn-options.ts";

/** How many of the latest messages of an agent's conversation are read. */
const PAGE = 1_000;

/** Returns events for the stored results of agents that run as tools, where the results have no event yet. */
export async function innerResults<Ctx>(
  { provider }: TurnSettings<Ctx>,
  events: readonly TurnEvent[],
): Promise<Result<readonly InnerTurnEvent[]>> {
  const results: InnerTurnEvent[] = [];
  for (const { inner, id, toolName } of openInnerCalls(events)) {
    const { conversationId = "" } = inner;
    const read = await provider.readConversation(conversationId, { messages: { limit: PAGE } });
    if (!read.success) return createFailure(read.error);
    const messages = read.data.conversation?.messages ?? [];
    // An earlier call may have the same id.
    const calledAt = messages.findLastIndex((message) => callsOf(message).some((call) => call.id === id));
    const result = messages.find((message, at) => at > calledAt && message.tool_call_id === id);
    if (result !== undefined) results.push({ ...inner, event: resultEvent(result, toolName) });
  }
  return createSuccess(results);
}

interface OpenInnerCall {
  /** The last event about the call. */
  readonly inner: InnerTurnEvent;
  readonly id: string;
  readonly toolName: string;
}

/** Returns the calls of agents that run as tools that have no result so far, by the events. The deepest come first. */
function openInnerCalls(events: readonly TurnEvent[]): readonly OpenInnerCall[] {
  const open = new Map<string, OpenInnerCall>();
  for (const inner of events) {
    if (inner.type !== "inner" || inner.conversationId === undefined) continue;
    const { event, toolCallId } = inner;
    const add = (id: string, toolName: string) =>
      open.set(nestedCallId(toolCallId, id), { inner, id, toolName });
    if (event.type === "message")
      for (const call of callsOf(event.message)) add(call.id, calledTool(call).name);
    if (event.type === "tool_start") add(event.toolCallId, event.toolName);
    if (event.type === "tool_end") open.delete(nestedCallId(toolCallId, event.toolCallId));
  }
  // Readers take an agent's result for the end of its calls, so the results of these calls must come before it.
  return [...open.values()].sort((one, other) => other.inner.toolCallId.length - one.inner.toolCallId.length);
}
