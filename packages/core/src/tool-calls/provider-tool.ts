import * as z from "zod";
import { ToolResponse } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";

const schema = { description: "", parameters: z.unknown() };

const approved = async () => ToolResponse.success({ approved: true });

/**
 * Returns the tool for a call that the model provider itself runs after an approval (`providerExecuted`, e.g. a call of a
 * remote MCP server). Its result only says that the call was approved: the model provider runs the call when it gets
 * this result.
 */
// biome-ignore lint/suspicious/noExplicitAny: fits agents of every context
export const providerTool = (name: string): Tool<unknown, any> => ({
  schema: { name, ...schema },
  execute: approved,
  needsApproval: true,
});
