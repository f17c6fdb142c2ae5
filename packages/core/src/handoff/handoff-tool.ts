import * as z from "zod";
import { ToolErrorCodes, ToolResponse } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";

/** Marks a tool that the engine executes itself. A copy under another name keeps the mark. */
const HANDOFF = Symbol.for("@jaf/core/handoff");

const handoffArguments = z.object({
  agentName: z.string().min(1).describe("The name of the agent to hand the conversation to"),
  message: z.string().optional().describe("What the next agent should know or do"),
});

export type HandoffArguments = z.output<typeof handoffArguments>;

const schema: Tool<HandoffArguments, unknown>["schema"] = {
  name: "handoff",
  description: "Hand the conversation to another agent that is better suited to go on with it.",
  parameters: handoffArguments,
};

const execute: Tool<HandoffArguments, unknown>["execute"] = async () =>
  ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, "A handoff is only possible inside a run.");

/**
 * The tool by which an agent hands the conversation to one of the agents in its `handoffs`. The run goes on with that agent.
 *
 * To change its name or description: `{ ...handoffTool, schema: { ...handoffTool.schema, name: "transfer" } }`.
 */
// biome-ignore lint/suspicious/noExplicitAny: fits agents of every context
export const handoffTool: Tool<HandoffArguments, any> = Object.freeze({ schema, execute, [HANDOFF]: true });

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export const isHandoffTool = <Ctx>(tool: Tool<any, Ctx>): boolean => HANDOFF in tool;
