import type { JAFError, RunConfig, RunResult } from "@jaf/core";
import type { RunId } from "@jaf/memory";
import type { TemplateError } from "./template/template.ts";

/** One run of a state. */
export interface AgentStateRun<Ctx> {
  /** The user whose conversation it is; see `MemoryConfig.userId`. A conversation of another user is a conflict. */
  readonly userId?: string;
  /** For the tools. Default `{}`. */
  readonly context?: Readonly<Ctx>;
  /** Aborts the run. */
  readonly signal?: AbortSignal;
  /** The key of the run: a run that is tried again passes the same. Default: a new one. */
  readonly runId?: RunId;
  /** Observes this run, in addition to `runConfig.onEvent`. */
  readonly onEvent?: RunConfig<Ctx>["onEvent"];
}

/** Why a transition was taken: the first condition that holds. */
export interface TransitionReason {
  /** The index in `agentOutcomes`. */
  readonly index: number;
  /** The condition as the state has it. */
  readonly condition: string;
}

/** How a run of a state ended. */
export type AgentStateResult =
  | {
      readonly status: "completed";
      /** The reply: the data that `output` describes, or without `output` the text. `null`: it matched after no repair. */
      readonly returnValues: unknown;
      /** The state to go to; `undefined` if no condition holds, or the state has no outcomes. */
      readonly transition: string | undefined;
      readonly reason: TransitionReason | undefined;
      /** The `memoryId`, if the state has a memory. */
      readonly conversationId: string | undefined;
      readonly result: RunResult<unknown>;
    }
  | {
      readonly status: "error";
      /** A template failed, or the run did: e.g. the model, the store, or another user's conversation. */
      readonly error: TemplateError | JAFError;
      /** Absent if the run didn't begin. */
      readonly result?: RunResult<unknown>;
    };

/** An agent state that was loaded and checked. It holds no connection; runs are independent of each other. */
export interface AgentState<Ctx> {
  /** The state's `name`. */
  readonly name: string;
  readonly agentName: string;
  readonly aiModel: string;
  /** The transitions of `agentOutcomes`, in order, each once. */
  readonly transitions: readonly string[];
  /** Runs the state. `input` is what `.` is in the expressions, and has to be JSON. Failures of operation are results. */
  readonly run: (input: unknown, options?: AgentStateRun<Ctx>) => Promise<AgentStateResult>;
}
