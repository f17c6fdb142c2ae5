import type { RichToolCall } from "@jaf/memory";
import { calledTool, isTooDeep, MAX_DEPTH } from "@jaf/memory/internal";
import type * as z from "zod";
import { ToolErrorCodes, ToolResponse, type ToolResult } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";

export type ParsedArguments =
  | { readonly ok: true; readonly args: unknown }
  /** `args`: the arguments that the model wrote, decoded if possible. */
  | { readonly ok: false; readonly args: unknown; readonly problem: ToolResult };

/** Returns a call's arguments before any schema: the decoded JSON, or the text of a custom call. */
export const decodeCall = (call: RichToolCall): ParsedArguments => {
  const { input } = calledTool(call);
  return call.type === "custom" ? { ok: true, args: input } : decodeArguments(input);
};

/** An empty text counts as `{}`, because models often send none if a tool has no parameters. */
function decodeArguments(text: string): ParsedArguments {
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

/**
 * Parses decoded arguments, always async. A sync attempt first would start async checks twice, and a rejection of the first
 * would crash the process.
 */
async function validateArguments(schema: z.ZodType, args: unknown): Promise<ParsedArguments> {
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

// A refinement or transform of the schema threw: for the model, its arguments are wrong.
function refused(args: unknown, thrown: unknown): ParsedArguments {
  const message = thrown instanceof Error ? thrown.message : "The arguments could not be checked.";
  return { ok: false, args, problem: ToolResponse.error(ToolErrorCodes.INVALID_INPUT, message) };
}

/** Decodes and validates the arguments. Arguments of an unknown tool are only decoded. */
export async function parseCall<Ctx>(
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  tool: Tool<any, Ctx> | undefined,
  call: RichToolCall,
): Promise<ParsedArguments> {
  const decoded = decodeCall(call);
  if (tool === undefined) return { ok: true, args: decoded.args };
  return decoded.ok ? validateArguments(tool.schema.parameters, decoded.args) : decoded;
}
