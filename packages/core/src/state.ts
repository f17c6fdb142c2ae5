import type { Message, RunId, TraceId } from "@jaf/memory";
import { generateRunId, generateTraceId } from "@jaf/memory/engine";
import type { UserMessage } from "./user-message.ts";

/** Everything a run knows at one point in time. Never mutated: each step makes a new one. */
export type RunState<Ctx> = {
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly messages: readonly Message[];
  /** Its key in `RunConfig.agentRegistry`. */
  readonly currentAgentName: string;
  readonly context: Readonly<Ctx>;
  /** Turns completed: a model reply together with the tools that it called. */
  readonly turnCount: number;
};

export interface RunStateInput<Ctx> {
  /** The agent that begins, by its key in `RunConfig.agentRegistry`. */
  readonly agentName: string;
  readonly context: Readonly<Ctx>;
  /** Default `[]`: nothing new is said, e.g. to resume a stored conversation. */
  readonly messages?: readonly (Message | UserMessage)[];
  /** Default: a new one. */
  readonly runId?: RunId;
  /** Default: a new one. Pass the one of the run that caused this run to group them. */
  readonly traceId?: TraceId;
}

/** The ids of states that were made with one of their own, and that no run has been given yet. */
const unused = new WeakMap<object, RunId>();

/** Whether no run had this id before: nobody else has heard of it. Says so once. */
export function takeUnused<Ctx>(state: RunState<Ctx>): boolean {
  const id = unused.get(state);
  unused.delete(state);
  return id !== undefined && id === state.runId;
}

/** A fresh state to hand to `run`, with generated ids and no turns taken. */
export function createRunState<Ctx>(input: RunStateInput<Ctx>): RunState<Ctx> {
  const state: RunState<Ctx> = {
    runId: input.runId ?? generateRunId(),
    traceId: input.traceId ?? generateTraceId(),
    // The text of a message is all that its type shows: parts are read through `RichMessage`.
    messages: (input.messages ?? []) as readonly Message[],
    currentAgentName: input.agentName,
    context: input.context,
    turnCount: 0,
  };
  if (input.runId === undefined) unused.set(state, state.runId);
  return state;
}
