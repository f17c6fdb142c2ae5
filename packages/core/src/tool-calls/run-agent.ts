import { type JAFError, JAFErrorHandler } from "../errors.ts";
import type { InnerCall, InnerEnd, InnerResume } from "../inner-runs.ts";
import type { RunScope } from "../run-scope.ts";
import type { ToolReturn } from "../tools/tool.ts";

/** A call of an agent tool that can run now. */
export interface InnerRunnable<Ctx> {
  readonly call: InnerCall<Ctx>;
  readonly resume: Omit<InnerResume, "signal">;
}

/** An inner run that gave its call no result. */
export type Unanswered = Exclude<InnerEnd, { readonly status: "completed" }>;

/** The execution of a call of an agent tool. */
export interface AgentExecution {
  /** Runs the agent. Rejects if the inner run has no output. */
  readonly execute: (args: unknown) => Promise<ToolReturn>;
  /** Returns why the call has no result; `undefined` if it has one. A hook can have caught what `execute` threw. */
  readonly unanswered: () => Unanswered | undefined;
}

/** Opens the execution of a call of an agent tool. `signal`: the signal of the call's time limit. */
export function openAgentExecution<Ctx>(
  scope: RunScope<Ctx>,
  { call, resume }: InnerRunnable<Ctx>,
  signal: AbortSignal,
): AgentExecution {
  let unanswered: Unanswered | undefined;
  return {
    execute: async (args) => {
      const end = await call.tool.execute(scope, { ...call, args }, { ...resume, signal });
      if (end.status === "completed") return toReturn(end.output);
      if (end.status === "error" && !end.endsRun) throw new AgentFailed(call.tool.agent.name, end.error);
      unanswered = end;
      throw new AgentStopped();
    },
    unanswered: () => unanswered,
  };
}

/** The error of a call whose agent failed. The model gets its message. */
class AgentFailed extends Error {
  override readonly name = "AgentFailed";
  constructor(agentName: string, error: JAFError) {
    super(`The agent "${agentName}" failed: ${JAFErrorHandler.format(error)}`, { cause: error });
  }
}

/** Thrown through the hooks of a call that gets no result now. */
class AgentStopped extends Error {
  override readonly name = "AgentStopped";
  constructor() {
    super("the agent has stopped without a result: it waits, or the run ends with its error");
  }
}

const toReturn = (output: unknown): ToolReturn =>
  typeof output === "string" || (typeof output === "object" && output !== null)
    ? output
    : JSON.stringify(output);
