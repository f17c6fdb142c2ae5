import type { JAFError, RunConfig, RunResult } from "@jaf/core";
import type { RunId } from "@jaf/memory";
import type { TemplateError } from "./template/template.ts";

/** Options of one run of a state. */
export interface AgentStateRun<Ctx> {
  /** The owner of the conversation, see `MemoryConfig.userId`. A conversation of another user is a conflict. */
  readonly userId?: string;
  /** The context for the tools. Default `{}`. */
  readonly context?: Readonly<Ctx>;
  /** Aborts the run. */
  readonly signal?: AbortSignal;
  /** The id of the run. Pass the same id when you retry a run. Default: a new one. */
  readonly runId?: RunId;
  /** Receives the events of this run, in addition to `runConfig.onEvent`. */
  readonly onEvent?: RunConfig<Ctx>["onEvent"];
}

/** The reason for a transition: the first condition that is true. */
export interface TransitionReason {
  /** The index in `agentOutcomes`. */
  readonly index: number;
  /** The condition as written in the state. */
  readonly condition: string;
}

/** How a run of a state ended. */
export type AgentStateResult =
  | {
      readonly status: "completed";
      /** The reply: data as described by `output`, or text without `output`. `null` if no repair made it match. */
      readonly returnValues: unknown;
      /** The next state; `undefined` if no condition is true or the state has no outcomes. */
      readonly transition: string | undefined;
      /** The condition that is true; `undefined` without a transition. */
      readonly reason: TransitionReason | undefined;
      /** The `memoryId`, if the state has a memory. */
      readonly conversationId: string | undefined;
      /** The result of the run. */
      readonly result: RunResult<unknown>;
    }
  | {
      readonly status: "error";
      /** The error of a template or of the run, e.g. of the model or the store, or another user's conversation. */
      readonly error: TemplateError | JAFError;
      /** Absent if the run didn't start. */
      readonly result?: RunResult<unknown>;
    };

/** A loaded and validated agent state. It has no connection. Runs are independent of each other. */
export interface AgentState<Ctx> {
  /** The state's `name`. */
  readonly name: string;
  /** The state's `agentName`: the agent's name in events and in the store. */
  readonly agentName: string;
  /** The state's `aiModel`: a key of `options.models`. */
  readonly aiModel: string;
  /** The transitions in `agentOutcomes`, in order, each once. */
  readonly transitions: readonly string[];
  /**
   * Runs the state. `input` is the value of `.` in the expressions and must be JSON. Failures of a run are results, not
   * rejections.
   */
  readonly run: (input: unknown, options?: AgentStateRun<Ctx>) => Promise<AgentStateResult>;
}
