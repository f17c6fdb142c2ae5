import type { Message, RunId, TraceId } from "@jaf/memory";
import { generateRunId, generateTraceId } from "@jaf/memory/internal";
import type { UserMessage } from "./content-parts.ts";
import type { JAFError, RunInterrupted } from "./errors.ts";
import { frozenMessages, ownMessages } from "./immutable/messages.ts";
import type { Interruption } from "./interruption.ts";
import type { Spent } from "./limits/budget.ts";

/** Everything a run knows at one point in time. Never mutated: each step makes a new one. */
export type RunState<Ctx> = {
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly messages: readonly Message[];
  /** The key of the agent in `RunConfig.agentRegistry`. */
  readonly currentAgentName: string;
  readonly context: Readonly<Ctx>;
  /** Steps completed: a model call and its tools. */
  readonly turnCount: number;
};

/**
 * How a run ended, and its last state, which is frozen except for its `context`; the initial state if the run couldn't begin. The
 * run adds no tool call to `finalState.messages` without its result, except for those that an interrupted run waits for, and
 * no reply that a guardrail or the codec refused.
 *
 * `interrupted`: tool calls wait for an approval or for the client. Run again, in any process, with `RunConfig.resume`
 * and no new messages. Code that knows only the specification's two outcomes can treat it as an error,
 * `RunInterrupted`.
 */
export type RunResult<Out> = {
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly finalState: RunState<any>;
  /**
   * The position of the first of `finalState.messages` in the stored conversation, counted from its first message. Earlier
   * messages were dropped by the store, or the run didn't need them (see `memory.window`). Such a history may be passed to a run
   * again. Absent where nothing was loaded.
   */
  readonly historyFrom?: number;
  /**
   * A token that replaces the stored history in `RunConfig.resume`, so that a client needn't send it back. Only of a
   * completed or interrupted run, with a store that keeps digests. Absent, too, if the store's answer to the last write got
   * lost, and if the same run had ended before and the conversation has gone on since. See `historyTokenOf`.
   */
  readonly historyToken?: string;
  /**
   * The usage of the run's model calls, and of all runs of its stored conversation, as far as the model provider reports it. Absent
   * if it reports none; `conversation` is absent where nothing is stored.
   */
  readonly spent?: { readonly run: Spent; readonly conversation?: Spent };
  readonly outcome:
    | { readonly status: "completed"; readonly output: Out }
    | { readonly status: "error"; readonly error: JAFError }
    | {
        readonly status: "interrupted";
        /** The calls that wait, in call order. */
        readonly interruptions: readonly Interruption[];
        readonly error: RunInterrupted;
      };
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

/** Creates a state to pass to `run`, with generated ids and a step count (`turnCount`) of 0. */
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

/** A frozen copy of a state, for callers, middleware and model providers. `context` belongs to the application and isn't frozen. */
export const frozenState = <Ctx>(state: RunState<Ctx>, messages = state.messages): RunState<Ctx> =>
  // Anything but a list has ended the run.
  Object.freeze(
    Object.assign({}, state, { messages: Array.isArray(messages) ? frozenMessages(messages) : messages }),
  );

/** A copy of a caller's state, which the caller may change afterwards. Anything but a list of messages is refused later. */
export function ownState<Ctx>(state: RunState<Ctx>): RunState<Ctx> {
  const { runId, traceId, messages, currentAgentName, context, turnCount } = state;
  const own = Array.isArray(messages) ? ownMessages(messages) : messages;
  return { ...state, runId, traceId, messages: own, currentAgentName, context, turnCount };
}
