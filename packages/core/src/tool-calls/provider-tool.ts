import type { RichToolCall } from "@jaf/memory";
import { calledTool, sameJson } from "@jaf/memory/internal";
import * as z from "zod";
import { ToolResponse } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";
import { decodeCall } from "./arguments.ts";

/** Returns whether the model provider itself runs the call, after an approval (e.g. a call of a remote MCP server). */
export const isRunByProvider = (call: RichToolCall): boolean => call["providerExecuted"] === true;

const CHANGED =
  "The call was not made: a hook changed its arguments, and the model provider can't be told so.";

/**
 * Returns the tool for a call that the model provider itself runs after an approval. Its result only says that the call
 * was approved: the model provider runs the call when it gets this result.
 */
// biome-ignore lint/suspicious/noExplicitAny: fits agents of every context
export const providerTool = (call: RichToolCall): Tool<unknown, any> => ({
  schema: { name: calledTool(call).name, description: "", parameters: z.unknown() },
  execute: async (args) =>
    sameJson(args, decodeCall(call).args)
      ? ToolResponse.success({ approved: true })
      : ToolResponse.permissionDenied(CHANGED),
  needsApproval: true,
});
