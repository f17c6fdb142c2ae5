import type { ToolState } from "@jaf/server/client";

interface LooseResult {
  readonly status?: unknown;
  readonly error?: { readonly message?: unknown } | null;
}

const STATUSES: ReadonlySet<unknown> = new Set([
  "success",
  "error",
  "validation_error",
  "permission_denied",
  "not_found",
]);

/** What the engine says of a call that the person rejected, with or without a reason. */
const REJECTED = /^(?:That didn't work: )?The call was not approved[.:]/;

function parsed(result: string): LooseResult | undefined {
  try {
    const value: unknown = JSON.parse(result);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How a stored result ended. It is stored as JSON with a status, unless a tool says something else. */
export function stateOf(result: string): ToolState {
  const status = parsed(result)?.status;
  return STATUSES.has(status) ? (status as ToolState) : "success";
}

/** Whether the person rejected the call, and it never ran. */
export function isRejected(state: ToolState, result: string | undefined): boolean {
  if (result === undefined) return false;
  const loose = parsed(result);
  const message = loose?.error?.message;
  if (loose?.status === "permission_denied") return typeof message === "string" && REJECTED.test(message);
  return state === "permission_denied" && loose === undefined && REJECTED.test(result);
}
