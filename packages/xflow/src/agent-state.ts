import type { JAFError, RunConfig, RunResult } from "@jaf/core";
import type { RunId } from "@jaf/memory";
import type { TemplateError } from "./template/template.ts";

/** Options of one run of a state. */
export interface AgentStateRun<Ctx> {
  /**
   * The owner of the conversation; see `MemoryConfig.userId`. If the conversation belongs to another user, the run ends
   * with an error.
   */
  readonly userId?: string;
  /** The context that tools get. Default `{}`. */
  readonly context?: Readonly<Ctx>;
  /** Stops the run when aborted. */
  readonly signal?: AbortSignal;
  /** The id of the run. To retry a run, pass the same id again. Default: a new id. */
  readonly runId?: RunId;
  /** Receives the events of this run, in addition to `LoadAgentStateOptions.runConfig.onEvent`. */
  readonly onEvent?: RunConfig<Ctx>["onEvent"];
}

/** Why a transition was chosen: its condition is the first one in the state's `agentOutcomes` that is true. */
export interface TransitionReason {
  /** Index of the outcome in the state's `agentOutcomes`. */
  readonly index: number;
  /** The outcome's condition as written in the state. */
  readonly condition: string;
}

/** How a run of a state ended. */
export type AgentStateResult =
  | {
      readonly status: "completed";
      /**
       * The reply: data as `output` describes it, or text if the state has no `output`. `null` if the reply didn't
       * match `output`, even after all repairs, or if the model refused to reply.
       */
      readonly returnValues: unknown;
      /** Name of the next state. `undefined` if no condition is true, or if the state has no outcomes. */
      readonly transition: string | undefined;
      /** The condition that is true. `undefined` if the run has no transition. */
      readonly reason: TransitionReason | undefined;
      /** The conversation's id, which the state's `memoryId` gives. `undefined` if the state has no memory. */
      readonly conversationId: string | undefined;
      /** The result of the agent's run. */
      readonly result: RunResult<unknown>;
    }
  | {
      readonly status: "error";
      /** Why the run failed: an error of a template, the model or the store, or a conversation of another user. */
      readonly error: TemplateError | JAFError;
      /** The result of the agent's run. Absent if the run didn't start. */
      readonly result?: RunResult<unknown>;
    };

/** An agent state that was loaded and validated. It holds no connection, and its runs are independent of each other. */
export interface AgentState<Ctx> {
  /** The state's `name`. */
  readonly name: string;
  /** The state's `agentName`: the agent's name in events and in the store. */
  readonly agentName: string;
  /** The state's `aiModel`: a key of the option `models`. */
  readonly aiModel: string;
  /** The transitions (names of next states) in `agentOutcomes`, in order, each listed once. */
  readonly transitions: readonly string[];
  /**
   * Runs the state. `input` is the value of `.` in the state's jq expressions, and must be JSON. A run that fails
   * resolves with status `error`; it doesn't reject.
   */
  readonly run: (input: unknown, options?: AgentStateRun<Ctx>) => Promise<AgentStateResult>;
}
