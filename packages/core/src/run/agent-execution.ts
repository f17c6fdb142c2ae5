import { isToolParts } from "../content-parts.ts";
import { type JAFError, JAFErrorHandler } from "../errors.ts";
import type { AgentExecution, InnerRunnable, Unanswered } from "../inner-runs.ts";
import { nothingGiven } from "../interruption.ts";
import type { RunScope } from "../run-scope.ts";
import type { ToolReturn } from "../tools/tool.ts";
import { runAgent } from "./inner-runs.ts";

/** Opens the execution of a call of an agent tool. `signal`: the signal of the call's time limit. */
export function openAgentExecution<Ctx>(
  scope: RunScope<Ctx>,
  { call, resume }: InnerRunnable<Ctx>,
  signal: AbortSignal,
): AgentExecution {
  let unanswered: Unanswered | undefined;
  let { given } = resume;
  return {
    execute: async (args) => {
      const next = { ...resume, given };
      // A hook can execute the call again. Decisions count once, and the agent goes on where it was.
      given = nothingGiven;
      unanswered = undefined;
      const end = await runAgent(scope, { ...call, args }, { resume: next, signal });
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
  // What a model wrote must not become content parts, which can hold the addresses of files.
  typeof output === "string" || (typeof output === "object" && output !== null && !isToolParts(output))
    ? output
    : JSON.stringify(output);
