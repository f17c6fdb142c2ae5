import { isToolResult, ToolResponse, type ToolResult } from "./result.ts";

/** The `ToolResult` that a tool message's text stands for; `undefined` for any other text. */
export function readToolResult(text: string): ToolResult | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isToolResult(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const REJECTED = "The call was not approved";

/** What the model is told of a call that somebody rejected. */
export const rejectedResult = (reason: string | undefined): ToolResult =>
  ToolResponse.permissionDenied(reason === undefined ? `${REJECTED}.` : `${REJECTED}: ${reason}`);

/** Whether a result says that its call was rejected, and why; `undefined` for any other. */
export function rejectionOf({ status, error }: ToolResult): { readonly reason?: string } | undefined {
  if (status !== "permission_denied" || error === undefined) return undefined;
  const { message } = error;
  if (message === `${REJECTED}.`) return {};
  return message.startsWith(`${REJECTED}: `) ? { reason: message.slice(REJECTED.length + 2) } : undefined;
}
