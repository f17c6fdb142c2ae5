import type * as z from "zod";
import type { ToolResult } from "./result.ts";
import type { Tool, ToolCallInfo } from "./tool.ts";

type Answer = string | ToolResult;

export interface ToolDefinition<Schema extends z.ZodType, Ctx> {
  readonly name: string;
  /** What the tool does and when to use it. The model chooses by it. */
  readonly description: string;
  readonly parameters: Schema;
  readonly execute: (
    args: z.output<Schema>,
    context: Readonly<Ctx>,
    call?: ToolCallInfo,
  ) => Promise<Answer> | Answer;
}

/**
 * A {@link Tool} whose argument type is inferred from its schema.
 *
 * @example
 * const add = createTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => String(a + b),
 * });
 */
// biome-ignore lint/suspicious/noExplicitAny: a tool that names no context works with every one
export function createTool<Schema extends z.ZodType, Ctx = any>(
  definition: ToolDefinition<Schema, Ctx>,
): Tool<z.output<Schema>, Ctx> {
  const { name, description, parameters, execute } = definition;
  return {
    schema: { name, description, parameters: parameters as z.ZodType<z.output<Schema>> },
    execute: async (args, context, call) => execute(args, context, call),
  };
}
