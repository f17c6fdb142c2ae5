import { isToolResult, ToolResponse, type ToolResult } from "./result.ts";

/** Parses the text of a tool message as a `ToolResult`; `undefined` for any other text. */
export function readToolResult(text: string): ToolResult | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isToolResult(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const REJECTED = "The call was not approved";

/** The result that the model gets of a call that was rejected. */
export const rejectedResult = (reason: string | undefined): ToolResult =>
  ToolResponse.permissionDenied(reason === undefined ? `${REJECTED}.` : `${REJECTED}: ${reason}`);

/** The reason if the result is that of a rejected call; `undefined` for any other result. */
export function rejectionOf({ status, error }: ToolResult): { readonly reason?: string } | undefined {
  if (status !== "permission_denied" || error === undefined) return undefined;
  const { message } = error;
  if (message === `${REJECTED}.`) return {};
  return message.startsWith(`${REJECTED}: `) ? { reason: message.slice(REJECTED.length + 2) } : undefined;
}
