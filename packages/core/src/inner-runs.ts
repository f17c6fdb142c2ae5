import type { Message, Result, RichToolCall } from "@jaf/memory";
import type { Agent } from "./agent.ts";
import type { UserPart } from "./content-parts.ts";
import type { CallOutdated, JAFError } from "./errors.ts";
import type { GivenDecisions, Interruption, OpenCalls } from "./interruption.ts";
import type { RunScope } from "./run-scope.ts";
import type { Tool, ToolReturn } from "./tools/tool.ts";

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
  /** What the inner run waits for, by the ids that the calls have in the outer run. */
  readonly waiting: readonly Interruption[];
  /** Whether the inner run can't continue without a decision or a result, and none of its approvals has expired. */
  readonly onlyWaits: boolean;
  /** Whether the inner run, without a decision or a result, calls nothing and at most requests expired approvals again. */
  readonly onlyAsks: boolean;
  /** The call of the inner run that can't run as it was approved, so the turn ends. `undefined`: there is none. */
  readonly outdated: CallOutdated | undefined;
}

/** How an inner run ended. */
export type InnerEnd =
  | { readonly status: "completed"; readonly output: unknown }
  /** The calls that the inner run waits for, by the ids that they have in the outer run. */
  | { readonly status: "interrupted"; readonly interruptions: readonly Interruption[] }
  /** `endsRun`: the outer run ends with the error, too. The call stays open, so the outer run can be resumed. */
  | { readonly status: "error"; readonly error: JAFError; readonly endsRun: boolean };

/** An inner run that gave its call no result. */
export type Unanswered = Exclude<InnerEnd, { readonly status: "completed" }>;

/** What an inner run continues with. */
export interface InnerResume {
  /** The decisions and results for the inner run, by its own ids. */
  readonly given: GivenDecisions;
  /** Whether an earlier execution of the outer run has begun the inner run. */
  readonly hasBegun: boolean;
}

/** A call of an agent tool that can run now. */
export interface InnerRunnable<Ctx> {
  readonly call: InnerCall<Ctx>;
  readonly resume: InnerResume;
}

/** The execution of a call of an agent tool. */
export interface AgentExecution {
  /** Runs the agent. Rejects if the inner run has no output. */
  readonly execute: (args: unknown) => Promise<ToolReturn>;
  /** Returns why the call has no result; `undefined` if it has one. A hook can have caught what `execute` threw. */
  readonly unanswered: () => Unanswered | undefined;
}

/** What the engine needs to run the agent of a tool. */
// The functions come with the tool, so an application without agents as tools doesn't bundle them.
export interface AgentTool<Ctx> {
  // biome-ignore lint/suspicious/noExplicitAny: agents differ in their output
  readonly agent: Agent<Ctx, any>;
  // biome-ignore lint/suspicious/noExplicitAny: agents differ in their output
  readonly agents: ReadonlyMap<string, Agent<Ctx, any>>;
  /** Returns the name of what the agent remembers; `undefined` if it remembers nothing. */
  readonly thread: (args: unknown, context: Readonly<Ctx>) => string | undefined;
  readonly input: (args: unknown) => string | readonly UserPart[];
  readonly maxTurns: number | undefined;
  /**
   * Resolves with the inner run of an open call, as the store has it; with `undefined` if it hasn't begun. Rejects if
   * the run is aborted.
   */
  readonly begun: (scope: RunScope<Ctx>, call: InnerCall<Ctx>) => Promise<Result<BegunRun | undefined>>;
  /** Opens the execution of a call. `signal`: the signal of the call's time limit. */
  readonly open: (scope: RunScope<Ctx>, runnable: InnerRunnable<Ctx>, signal: AbortSignal) => AgentExecution;
}

/** Marks a tool that runs an agent. Copies of the tool keep the mark. */
export const AGENT = Symbol.for("@jaf/core/agent-tool");

/** Returns what the engine needs to run the agent of a tool; `undefined` if the tool runs no agent. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export const agentToolIn = <Ctx>(tool: Tool<any, Ctx>): AgentTool<Ctx> | undefined =>
  (tool as { readonly [AGENT]?: AgentTool<Ctx> })[AGENT];
