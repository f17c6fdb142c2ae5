import { present } from "@jaf/memory/engine";
import type * as z from "zod";
import type { ToolResult } from "./result.ts";
import { clientSide, type Tool, type ToolCallInfo } from "./tool.ts";
import type { ToolParts } from "./tool-parts.ts";

/** What a tool may return: text, a {@link ToolResult}, parts, or data, which the model gets as JSON. */
export type ToolReturn = string | ToolResult | ToolParts | object;

export interface ToolDefinition<Schema extends z.ZodType, Ctx> {
  readonly name: string;
  /** What the tool does and when to use it. The model chooses tools by it. */
  readonly description: string;
  readonly parameters: Schema;
  /** Absent: the client runs the tool. The run is interrupted and resumed with `RunConfig.resume.toolResults`. */
  readonly execute?: (
    args: z.output<Schema>,
    context: Readonly<Ctx>,
    call?: ToolCallInfo,
  ) => Promise<ToolReturn> | ToolReturn;
  /** See `Tool.needsApproval`. */
  readonly needsApproval?:
    | boolean
    | ((args: z.output<Schema>, context: Readonly<Ctx>) => boolean | Promise<boolean>);
  /** See `Tool.timeoutMs`. */
  readonly timeoutMs?: number;
}

/**
 * Creates a {@link Tool} whose argument type is inferred from its schema.
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
  const { name, description, parameters, execute, needsApproval, timeoutMs } = definition;
  return {
    schema: { name, description, parameters: parameters as z.ZodType<z.output<Schema>> },
    // Functions are called on the definition, which may be an instance of a class.
    ...(execute === undefined
      ? clientSide
      : {
          // The engine accepts all of `ToolReturn`; the type of `Tool.execute` has only these two.
          execute: async (args: z.output<Schema>, context: Readonly<Ctx>, call?: ToolCallInfo) =>
            (await execute.call(definition, args, context, call)) as string | ToolResult,
        }),
    ...(needsApproval === undefined
      ? {}
      : {
          needsApproval: typeof needsApproval === "function" ? needsApproval.bind(definition) : needsApproval,
        }),
    ...present({ timeoutMs }),
  };
}
