import { readToolResult } from "@jaf/core";
import type { Message, RichMessage } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/internal";
import type { ToolEndEvent, TurnEvent } from "../turns/turn-event.ts";

export interface ToldTurn {
  readonly messages: readonly Message[];
  /** Those of the messages that the turn has taken from the inbox. */
  readonly inputs: ReadonlySet<Message>;
  readonly events: readonly TurnEvent[];
  readonly agentName: string;
}

/** Returns events for the turn's stored messages that have no event yet. */
export function missingEvents({ messages, inputs, events, agentName }: ToldTurn): readonly TurnEvent[] {
  // A process stores a message before the message's event, and may crash between these two writes.
  const sentMessages = events.flatMap((event) => (event.type === "message" ? [event.message] : []));
  const sentInputs = events.flatMap((event) => (event.type === "input" ? event.messages : []));
  const sentResults = events.flatMap((event) => (event.type === "tool_end" ? [event.toolCallId] : []));
  const names = new Map<string, string>();
  const missing: TurnEvent[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of callsOf(message)) names.set(call.id, call.function.name);
      // With other durabilities than "step", the replies before it can have been sent without being stored.
      const sentAt = sentMessages.findIndex((sent) => isSameReply(sent, message));
      sentMessages.splice(0, sentAt + 1);
      if (sentAt === -1) missing.push({ type: "message", agentName, message });
    }
    if (inputs.has(message)) {
      if (sentInputs.length > 0) sentInputs.shift();
      else missing.push({ type: "input", messages: [message] });
    }
    if (message.role !== "tool") continue;
    const id = message.tool_call_id ?? "";
    const sentAt = sentResults.indexOf(id);
    if (sentAt !== -1) sentResults.splice(sentAt, 1);
    else missing.push(resultEvent(message, names.get(id) ?? ""));
  }
  return missing;
}

/** Compares the texts and the calls of two replies. Media can be stored in another form than they were sent. */
const isSameReply = (one: Message, other: Message): boolean =>
  messageText(one) === messageText(other) && callIdsOf(one) === callIdsOf(other);

const callIdsOf = (message: Message): string => JSON.stringify(callsOf(message).map(({ id }) => id));

/** Returns the event of a stored tool result. */
export function resultEvent(message: Message, toolName: string): ToolEndEvent {
  const { content }: RichMessage = message;
  const result = messageText(message);
  const parts = typeof content === "string" || content === null ? undefined : content;
  return {
    type: "tool_end",
    toolCallId: message.tool_call_id ?? "",
    toolName,
    status: readToolResult(result)?.status ?? "success",
    durationMs: 0,
    result,
    ...present({ parts }),
  };
}

export const callsOf = ({ tool_calls: calls }: Message) => calls ?? [];
