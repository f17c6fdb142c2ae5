import type { TraceEvent } from "@jaf/core";
import { nestedCallId } from "@jaf/core/internal";
import { createPieces, present } from "@jaf/memory/internal";
import { isGrowing } from "./pieces.ts";
import type { InnerTurnEvent, TurnEvent, TurnMessageEvent } from "./turn-event.ts";

/** Converts the events of a run into events of its turn. */
export interface EventMapper {
  readonly take: (event: TraceEvent) => void;
  /** Returns the text of the reply in progress: all `text` events since the last `message` or `retract` event. */
  readonly openText: () => string;
  /** Returns the name of the agent that was active last. */
  readonly agentName: () => string;
}

export interface EventMapperOptions {
  readonly agentName: string;
  readonly push: (event: TurnEvent) => void;
}

export function createEventMapper({ agentName: first, push }: EventMapperOptions): EventMapper {
  let agentName = first;
  let openText = createPieces();
  // A final reply that the engine hasn't stored yet. After a crash, another process may produce a different reply.
  let held: TurnMessageEvent | undefined;

  const emit = (event: TurnEvent): void => {
    if (event.type === "text") openText.add(event.text);
    if (event.type === "message" || event.type === "retract") openText = createPieces();
    push(event);
  };
  const release = (): void => {
    const message = held;
    held = undefined;
    if (message !== undefined) emit(message);
  };
  return {
    take: (event) => {
      if (event.type === "memory_stored") release();
      if (event.type === "run_end" && event.data.outcome.status !== "error") release();
      const turnEvent = toTurnEvent(event);
      if (turnEvent === undefined) return;
      if (isGrowing(turnEvent) && "agentName" in event.data) agentName = event.data.agentName;
      if (turnEvent.type === "message") {
        agentName = turnEvent.agentName;
        if (isFinal(turnEvent)) {
          held = turnEvent;
          return;
        }
      }
      emit(turnEvent);
    },
    openText: () => openText.text(),
    agentName: () => agentName,
  };
}

/**
 * Converts an event of a run into an event of its turn. Returns `undefined` for an event that readers of the turn don't
 * get.
 */
export function toTurnEvent(event: TraceEvent): TurnEvent | undefined {
  switch (event.type) {
    case "llm_delta":
      return event.data.text === "" ? undefined : { type: "text", text: event.data.text };
    case "llm_reasoning_delta":
      return event.data.text === "" ? undefined : { type: "reasoning", text: event.data.text };
    case "llm_part":
      return { type: "part", part: event.data.part };
    case "llm_tool_call_delta": {
      const { agentName: _, ...piece } = event.data;
      return { type: "tool_arguments", ...piece };
    }
    case "llm_retry":
      return event.data.discardText ? { type: "retract", reason: "retry" } : undefined;
    case "llm_fallback":
      return event.data.discardText ? { type: "retract", reason: "fallback" } : undefined;
    case "llm_retract":
      return { type: "retract", reason: "guardrail" };
    case "assistant_message":
      return { type: "message", agentName: event.data.agentName, message: event.data.message };
    case "inbox_taken":
      return { type: "input", messages: event.data.messages };
    case "tool_call_start": {
      const { toolCallId = "", toolName, args } = event.data;
      return { type: "tool_start", toolCallId, toolName, args };
    }
    case "tool_call_end": {
      const { toolCallId, toolName, status, durationMs, result, parts } = event.data;
      return {
        ...{ type: "tool_end", toolCallId, toolName, status, durationMs, result },
        ...(parts === undefined ? {} : { parts }),
      };
    }
    case "interruption":
      return { type: "interruption", interruption: event.data.interruption };
    case "handoff":
      return { type: "handoff", from: event.data.from, to: event.data.to };
    case "inner_event":
      return toInnerEvent(event.data);
    case "context":
      return { type: "context", manifest: event.data };
    case "llm_call_end": {
      const { attempts: _, ...call } = event.data;
      return { type: "model_call", ...call };
    }
    default:
      return undefined;
  }
}

const isFinal = ({ message }: TurnMessageEvent): boolean => (message.tool_calls ?? []).length === 0;

/** Converts an event of an agent that runs as a tool. Returns `undefined` for an event that readers don't get. */
function toInnerEvent({
  path,
  event,
}: Extract<TraceEvent, { type: "inner_event" }>["data"]): InnerTurnEvent | undefined {
  const told = toTurnEvent(event);
  switch (told?.type) {
    case "message":
      if (isFinal(told)) return undefined;
      break;
    case "tool_start":
    case "tool_end":
    case "handoff":
    case "model_call":
      break;
    default:
      return undefined;
  }
  const { conversationId } = event;
  return {
    type: "inner",
    toolCallId: path.reduce(nestedCallId),
    ...present({ conversationId }),
    event: told,
  };
}
