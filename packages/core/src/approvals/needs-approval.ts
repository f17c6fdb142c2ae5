import { plainCopy } from "../immutable/copy.ts";
import type { RunScope } from "../run-scope.ts";
import type { ToolFailure } from "../tool-calls/answer.ts";
import type { ParsedArguments } from "../tool-calls/arguments.ts";
import type { CallBatch } from "../tool-calls/execute-call.ts";
import { ToolErrorCodes, ToolResponse, type ToolResult } from "../tools/result.ts";
import type { ResolvedCall } from "./canonical-arguments.ts";

/** The answer to a call that failed for a reason other than the model's arguments. */
export interface Failed {
  readonly result: ToolResult;
  readonly failure: ToolFailure;
}

export const failed = (failure: ToolFailure): Failed => ({
  result: ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, failure.text),
  failure,
});

/**
 * Returns whether the call needs an approval, or a failed answer if the tool's `needsApproval` throws. A function means
 * "no approval" only by returning `false`.
 */
export async function needsApproval<Ctx>(
  { mask }: RunScope<Ctx>,
  { context }: CallBatch<Ctx>,
  { tool, parsed }: { readonly tool: ResolvedCall<Ctx>["tool"]; readonly parsed: ParsedArguments },
): Promise<boolean | Failed> {
  if (typeof tool.needsApproval !== "function") {
    return tool.needsApproval !== undefined && tool.needsApproval !== false;
  }
  try {
    return (await tool.needsApproval(plainCopy(parsed.args), context)) !== false;
  } catch (thrown) {
    const text = thrown instanceof Error ? mask(thrown.message) : "it threw something other than an Error";
    return failed({ text, thrown });
  }
}

export const unapprovable = (reason: string): Failed =>
  failed({
    text: `The call was not made: it needs an approval, and none can be bound to its parsed arguments: ${reason}.`,
  });
