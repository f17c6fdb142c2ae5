import type { Message, RunState as OurRunState, RunId, TraceId } from "@jaf/core";
import { assertType, type Same } from "./support.ts";

export type RunState<Ctx> = {
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly messages: readonly Message[];
  readonly currentAgentName: string;
  readonly context: Readonly<Ctx>;
  readonly turnCount: number;
};

assertType<Same<RunState<{ a: 1 }>, OurRunState<{ a: 1 }>>>();

export function stateEvolution<Ctx>(state: OurRunState<Ctx>, newMessage: Message) {
  // State is never mutated directly
  const nextState: RunState<Ctx> = {
    ...state,
    messages: [...state.messages, newMessage],
    turnCount: state.turnCount + 1,
  };
  return nextState;
}
