import { type Middleware, ToolResponse } from "@jaf/core";
import type { Message } from "@jaf/memory";

/**
 * Limits how many tool calls a turn executes. The calls are counted in the conversation, so a turn that resumes in another process
 * goes on counting. At the limit the model may no longer call tools. They stay in the request: some services refuse a
 * history with calls and no tools, and the cached part of the prompt stays the same. Calls beyond the limit get an error. Create
 * one for each run.
 */
export function toolLimit(limit: number): Middleware<unknown> {
  /** How many calls of the last reply were executed: their results aren't in the conversation yet. */
  let begun = 0;
  return {
    name: "max-tool-executions",
    wrapModelCall: ({ state, modelConfig }, next) => {
      begun = 0;
      const mayCall = resultsOfTurn(state.messages) < limit;
      return next(mayCall ? {} : { modelConfig: { ...modelConfig, toolChoice: "none" } });
    },
    wrapToolCall: ({ turn }, next) => {
      if (resultsOfTurn(turn.messages) + begun >= limit) {
        return ToolResponse.error(
          "TOOL_LIMIT",
          "The tools may not be used again now. Answer with what you have.",
        );
      }
      begun += 1;
      return next();
    },
  };
}

/** The results since the user spoke. */
function resultsOfTurn(messages: readonly Message[]): number {
  const said = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(said + 1).filter(({ role }) => role === "tool").length;
}
