import type { RichToolCall } from "@jaf/memory";
import { calledTool, isTooDeep, MAX_DEPTH } from "@jaf/memory/internal";
import type * as z from "zod";
import { ToolErrorCodes, ToolResponse, type ToolResult } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";

export type ParsedArguments =
  | { readonly ok: true; readonly args: unknown }
  /** `args`: the arguments that the model wrote, decoded from JSON if possible. `problem`: the error result for the model. */
  | { readonly ok: false; readonly args: unknown; readonly problem: ToolResult };

/**
 * Returns a call's arguments before the tool's schema has parsed them: decoded from JSON, or the text of a call of type
 * `"custom"`.
 */
export const decodeCall = (call: RichToolCall): ParsedArguments => {
  const { input } = calledTool(call);
  return call.type === "custom" ? { ok: true, args: input } : decodeArguments(input);
};

/** Decodes arguments from JSON. An empty text counts as `{}`. */
function decodeArguments(text: string): ParsedArguments {
  // Models often send an empty text if a tool has no parameters.
  if (text.trim() === "") return { ok: true, args: {} };
  if (isTooDeep(text))
    return undecodable(text, `The arguments are nested deeper than ${MAX_DEPTH} levels. Send fewer levels.`);
  try {
    return { ok: true, args: JSON.parse(text) };
  } catch {
    return undecodable(text, "The arguments are not valid JSON. Send one JSON object.");
  }
}

const undecodable = (args: string, message: string): ParsedArguments => ({
  ok: false,
  args,
  problem: ToolResponse.error(ToolErrorCodes.INVALID_INPUT, message),
});

/** Parses decoded arguments with the tool's schema. */
export async function parseArguments(schema: z.ZodType, args: unknown): Promise<ParsedArguments> {
  // Never `safeParse`: it would start the schema's asynchronous checks without awaiting them. If one rejected, the
  // process would crash.
  try {
    return toParsed(await schema.safeParseAsync(args), args);
  } catch (thrown) {
    return refused(args, thrown);
  }
}

function toParsed(result: z.ZodSafeParseResult<unknown>, args: unknown): ParsedArguments {
  if (result.success) return { ok: true, args: result.data };
  const issues = result.error.issues.map(({ path, code, message }) => ({
    path: path.join("."),
    code,
    message,
  }));
  const message = "The arguments do not match the tool's parameters. Correct them and call it again.";
  return { ok: false, args, problem: ToolResponse.error(ToolErrorCodes.INVALID_INPUT, message, { issues }) };
}

// A refinement or transform in the tool's schema threw an error. For the model, its arguments are wrong.
function refused(args: unknown, thrown: unknown): ParsedArguments {
  const message = thrown instanceof Error ? thrown.message : "The arguments could not be checked.";
  return { ok: false, args, problem: ToolResponse.error(ToolErrorCodes.INVALID_INPUT, message) };
}

/** Decodes a call's arguments and parses them with the tool's schema. Without a tool, only decodes them. */
export async function parseCall<Ctx>(
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  tool: Tool<any, Ctx> | undefined,
  call: RichToolCall,
): Promise<ParsedArguments> {
  const decoded = decodeCall(call);
  if (tool === undefined) return { ok: true, args: decoded.args };
  return decoded.ok ? parseArguments(tool.schema.parameters, decoded.args) : decoded;
}
