/** Whether a tool succeeded (`"success"`), or in which way it failed. */
export type ToolStatus = "success" | "error" | "validation_error" | "permission_denied" | "not_found";

/** The structured result of a tool, as the engine stores it as JSON text: `ToolResult` of `@jaf/core`. */
export interface StructuredResult {
  readonly status: ToolStatus;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly metadata?: object;
}

const STATUSES: ReadonlySet<unknown> = new Set<ToolStatus>([
  "success",
  "error",
  "validation_error",
  "permission_denied",
  "not_found",
]);
const FIELDS: ReadonlySet<string> = new Set(["status", "data", "error", "metadata"]);

/**
 * Returns whether a value is a structured result: a plain object with a known status.
 *
 * - With status `"success"`, an object with further fields (e.g. `{ status: "success", orders: [] }`) counts as data,
 *   not as a result.
 * - With any other status, further fields are allowed, so a failure is never taken for data.
 */
export function isStructuredResult(value: unknown): value is StructuredResult {
  if (!isPlainObject(value) || !("status" in value) || !STATUSES.has(value.status)) return false;
  return value.status !== "success" || Object.keys(value).every((key) => FIELDS.has(key));
}

/** Returns whether a value is a plain object. */
function isPlainObject(value: unknown): value is object {
  // Objects of another realm have a different `Object.prototype`.
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Parses the text of a tool message as a structured result. Returns `undefined` if the text isn't one. */
export function structuredResultIn(text: string): StructuredResult | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStructuredResult(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const REJECTED = "The call was not approved";

/** Returns the message of the error that the model gets for a call that the user has rejected. */
export const rejectionText = (reason: string | undefined): string =>
  reason === undefined ? `${REJECTED}.` : `${REJECTED}: ${reason}`;

/**
 * Returns why the user rejected a call, from the call's result: `{}` without a reason, and `undefined` if the user didn't
 * reject the call.
 */
export function rejectionIn({
  status,
  error,
}: Pick<StructuredResult, "status" | "error">): { readonly reason?: string } | undefined {
  if (status !== "permission_denied" || error === undefined) return undefined;
  const { message } = error;
  if (message === rejectionText(undefined)) return {};
  const before = rejectionText("");
  return message.startsWith(before) ? { reason: message.slice(before.length) } : undefined;
}
