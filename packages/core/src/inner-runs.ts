import type { Message, Result, RichToolCall } from "@jaf/memory";
import type { AgentTool } from "./agent-tool.ts";
import type { JAFError } from "./errors.ts";
import type { GivenDecisions, Interruption, OpenCalls } from "./interruption.ts";

/** A call of a tool that runs an agent; see `asTool`. */
export interface InnerCall<Ctx> {
  readonly call: RichToolCall;
  readonly tool: AgentTool<Ctx>;
  /** The parsed arguments. */
  readonly args: unknown;
  readonly context: Readonly<Ctx>;
  /** The registry key of the outer agent. */
  readonly agentName: string;
  /** Identifies the calls of the outer agent's reply as a group. */
  readonly callScope: string;
  /** The outer conversation before the reply that made the call. */
  readonly messages: readonly Message[];
  /**
   * The name of what the agent remembers; see `AgentToolOptions.memory`. Calls with the same thread must not run at the
   * same time. `undefined`: the agent remembers nothing.
   */
  readonly thread: string | undefined;
}

/** An inner run that an earlier execution of the outer run has begun. */
export interface BegunRun {
  /** The inner run's open calls. */
  readonly open: OpenCalls;
  /** Whether the inner run can't continue without a decision or a result, and none of its approvals has expired. */
  readonly onlyWaits: boolean;
}

/** How an inner run ended. */
export type InnerEnd =
  | { readonly status: "completed"; readonly output: unknown }
  /** The calls that the inner run waits for, by the ids that they have in the outer run. */
  | { readonly status: "interrupted"; readonly interruptions: readonly Interruption[] }
  /** `endsRun`: the outer run ends with the error, too. The call stays open, so the outer run can be resumed. */
  | { readonly status: "error"; readonly error: JAFError; readonly endsRun: boolean };

/** What an inner run continues with. */
export interface InnerResume {
  /** The decisions and results for the inner run, by its own ids. */
  readonly given: GivenDecisions;
  /** Whether an earlier execution of the outer run has begun the inner run. */
  readonly hasBegun: boolean;
}

/** Runs the agents of tools. */
// An interface, because the engine's loop calls itself here, and its files must not import each other in a circle.
export interface InnerRuns<Ctx> {
  /**
   * Resolves with the inner run of an open call, as the store has it; with `undefined` if it hasn't begun. Rejects if
   * the run is aborted.
   */
  readonly begun: (call: InnerCall<Ctx>) => Promise<Result<BegunRun | undefined>>;
  /** Runs the agent. `signal`: the signal of the call's time limit. */
  readonly execute: (call: InnerCall<Ctx>, resume: InnerResume, signal: AbortSignal) => Promise<InnerEnd>;
}
