import type { Message, RunId, TraceId } from "@jaf/memory";
import { generateRunId, generateTraceId } from "@jaf/memory/engine";
import type { UserMessage } from "./user-message.ts";

/** Everything a run knows at one point in time. Never mutated: each step makes a new one. */
export type RunState<Ctx> = {
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly messages: readonly Message[];
  /** The key of the agent in `RunConfig.agentRegistry`. */
  readonly currentAgentName: string;
  readonly context: Readonly<Ctx>;
  /** Turns completed: a model reply together with the tools that it called. */
  readonly turnCount: number;
};

export interface RunStateInput<Ctx> {
  /** The agent that begins, by its key in `RunConfig.agentRegistry`. */
  readonly agentName: string;
  readonly context: Readonly<Ctx>;
  /** Default `[]`: no new messages, e.g. to resume a stored conversation. */
  readonly messages?: readonly (Message | UserMessage)[];
  /** Default: a new one. */
  readonly runId?: RunId;
  /** Default: a new one. To group runs, pass the trace id of the run that caused this one. */
  readonly traceId?: TraceId;
}

/** Creates a state to pass to `run`, with generated ids and a turn count of 0. */
export function createRunState<Ctx>(input: RunStateInput<Ctx>): RunState<Ctx> {
  return {
    runId: input.runId ?? generateRunId(),
    traceId: input.traceId ?? generateTraceId(),
    // The type of a message shows only its text: parts are read through `RichMessage`.
    messages: (input.messages ?? []) as readonly Message[],
    currentAgentName: input.agentName,
    context: input.context,
    turnCount: 0,
  };
}
