import type { Message, RunId, TraceId } from "@jaf/memory";
import { generateRunId, generateTraceId } from "@jaf/memory/internal";
import type { UserMessage } from "./content-parts.ts";
import type { JAFError, RunInterrupted } from "./errors.ts";
import { frozenMessages, ownMessages } from "./immutable/messages.ts";
import type { Interruption } from "./interruption.ts";
import type { Spent } from "./limits/budget.ts";

/** Everything that a run knows at one point in time. States are immutable: each step makes a new one. */
export type RunState<Ctx> = {
  /** The id of the run. To repeat a run, pass the same id. */
  readonly runId: RunId;
  /** The id that groups related runs. */
  readonly traceId: TraceId;
  /** The conversation, oldest message first. */
  readonly messages: readonly Message[];
  /** The registry key of the current agent in `RunConfig.agentRegistry`. */
  readonly currentAgentName: string;
  /** The application's data for instructions, tools and guardrails. The model doesn't get the context. */
  readonly context: Readonly<Ctx>;
  /** The number of completed steps. A step is a model call and its tools. */
  readonly turnCount: number;
};

/**
 * How a run ended.
 *
 * - `completed`: the agent gave its final reply. `output` is the reply's text, or the value that the agent's
 *   `outputCodec` decoded.
 * - `error`: the run failed; see {@link JAFError}.
 * - `interrupted`: tool calls wait for an approval or for the client. To continue, call `run` again in any process with
 *   `RunConfig.resume` and no new messages. Like `error`, this outcome has a field `error`.
 */
export type RunOutcome<Out> =
  | { readonly status: "completed"; readonly output: Out }
  | { readonly status: "error"; readonly error: JAFError }
  | {
      readonly status: "interrupted";
      /** The tool calls that wait, in the order of the calls. */
      readonly interruptions: readonly Interruption[];
      readonly error: RunInterrupted;
    };

/** The usage of a run, and of all runs of its stored conversation. */
export interface RunSpent {
  /** The usage of this run. */
  readonly run: Spent;
  /** The usage of all runs of the conversation, including this one. Absent: nothing is stored. */
  readonly conversation?: Spent;
}

/**
 * How a run ended, and its last state. The state is frozen except for its `context`. If the run couldn't begin,
 * `finalState` is the initial state.
 *
 * `finalState.messages` has tool calls only together with their results, except for calls that an interrupted run waits
 * for. It has no replies that a guardrail or the agent's `outputCodec` refused.
 */
export type RunResult<Out> = {
  /** The run's last state. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly finalState: RunState<any>;
  /**
   * The position of the first of `finalState.messages` in the stored conversation. If it isn't 0, the earlier messages
   * were dropped by the store or not loaded (see `memory.window`). A run accepts such a shortened history. Absent:
   * nothing was loaded.
   */
  readonly historyFrom?: number;
  /**
   * A token that a client can send in `RunConfig.resume` in place of the history; see `historyTokenOf`. Completed and
   * interrupted runs have one if the store keeps digests. Absent in two more cases:
   *
   * - The store's answer to the last write was lost.
   * - This call only repeats a run that ended earlier, and the conversation has continued after that run.
   */
  readonly historyToken?: string;
  /**
   * The usage of this run and of all runs of its stored conversation. Absent: no model call of this run reported its
   * usage.
   */
  readonly spent?: RunSpent;
  /** How the run ended. */
  readonly outcome: RunOutcome<Out>;
};

/** The input of {@link createRunState}. */
export interface RunStateInput<Ctx> {
  /** The registry key of the first agent in `RunConfig.agentRegistry`. */
  readonly agentName: string;
  /** The application's data for instructions, tools and guardrails. */
  readonly context: Readonly<Ctx>;
  /** The new messages, or a whole history. Default `[]`: no new messages (e.g. to resume a stored conversation). */
  readonly messages?: readonly (Message | UserMessage)[];
  /** The id of the run. To retry a run, pass the same id again. Default: a new id. */
  readonly runId?: RunId;
  /**
   * The id of the trace, which groups runs. Pass another run's trace id to add this run to its trace. Default: a new
   * id.
   */
  readonly traceId?: TraceId;
}

/**
 * Creates a state to pass to `run`, with generated ids and a step count (`turnCount`) of 0.
 *
 * @example
 * ```ts
 * import { createRunState } from "@jaf/core";
 *
 * const state = createRunState({
 *   agentName: "clerk",
 *   context: { userId: "user-42" },
 *   messages: [{ role: "user", content: "Where is my order?" }],
 * });
 * ```
 */
export function createRunState<Ctx>(input: RunStateInput<Ctx>): RunState<Ctx> {
  return {
    runId: input.runId ?? generateRunId(),
    traceId: input.traceId ?? generateTraceId(),
    // `Message` declares only text content. Content parts are accessed through the type `RichMessage`.
    messages: (input.messages ?? []) as readonly Message[],
    currentAgentName: input.agentName,
    context: input.context,
    turnCount: 0,
  };
}

/** Returns a frozen copy of a state, whose `context` isn't frozen. */
export const frozenState = <Ctx>(state: RunState<Ctx>, messages = state.messages): RunState<Ctx> =>
  // If `messages` isn't a list, the run has already ended with an error.
  Object.freeze(
    Object.assign({}, state, { messages: Array.isArray(messages) ? frozenMessages(messages) : messages }),
  );

/** Returns a copy of a caller's state, which the caller can't change later. */
export function ownState<Ctx>(state: RunState<Ctx>): RunState<Ctx> {
  const { runId, traceId, messages, currentAgentName, context, turnCount } = state;
  // If `messages` isn't a list, the run refuses it later.
  const own = Array.isArray(messages) ? ownMessages(messages) : messages;
  return { ...state, runId, traceId, messages: own, currentAgentName, context, turnCount };
}
