import type { TraceEvent } from "@jaf/core";
import { toTurnEvent } from "./to-turn-event.ts";
import type { TurnEvent } from "./turn-event.ts";

/** Makes the events of a turn of those of its run. */
export interface EventFlow {
  readonly take: (event: TraceEvent) => void;
  /** The text that was shown since the last message, and that no message has. */
  readonly openText: () => string;
  /** The agent that spoke last. */
  readonly agentName: () => string;
}

type MessageEvent = Extract<TurnEvent, { type: "message" }>;

export interface EventFlowOptions {
  readonly agentName: string;
  readonly push: (event: TurnEvent) => void;
}

export function createEventFlow({ agentName: first, push }: EventFlowOptions): EventFlow {
  let agentName = first;
  // Joined when it is asked for: a text that grows piece by piece is a chain of strings, which weighs more than its pieces.
  let openTexts: string[] = [];
  // The engine tells a final reply before it is stored. Told then, another process could say another one after a crash.
  let held: MessageEvent | undefined;

  const emit = (event: TurnEvent): void => {
    if (event.type === "text") openTexts.push(event.text);
    if (event.type === "message" || event.type === "retract") openTexts = [];
    push(event);
  };
  const release = (): void => {
    const message = held;
    held = undefined;
    if (message !== undefined) emit(message);
  };
  const isFinal = ({ message }: MessageEvent): boolean => (message.tool_calls ?? []).length === 0;

  return {
    take: (event) => {
      if (event.type === "memory_stored") release();
      if (event.type === "run_end" && event.data.outcome.status !== "error") release();
      const told = toTurnEvent(event);
      if (told === undefined) return;
      if (event.type === "llm_delta" || event.type === "llm_reasoning_delta")
        agentName = event.data.agentName;
      if (told.type === "message") {
        agentName = told.agentName;
        if (isFinal(told)) {
          held = told;
          return;
        }
      }
      emit(told);
    },
    openText: () => openTexts.join(""),
    agentName: () => agentName,
  };
}

/** Whether readers wait for the event. Pieces are gathered, and what is only looked at later comes with them. */
export const isUrgent = ({ type }: TurnEvent): boolean =>
  type !== "text" && type !== "reasoning" && type !== "part" && type !== "context" && type !== "model_call";
