import { fieldsOf, isObject, parseJson } from "./fields.ts";

/** What a tool returned. */
export interface ToolOutcome {
  /** Whether the result is a failed `ToolResult`. */
  readonly hasFailed: boolean;
  /** The data of a `ToolResult`, or the whole result if it is other JSON; `undefined` for a failure and for text. */
  readonly data: unknown;
  /** The data or the error's message as text. */
  readonly text: string;
}

const FAILURES: ReadonlySet<unknown> = new Set([
  ...["error", "validation_error", "permission_denied", "not_found"],
]);

/** Reads the text of a tool's result, as the engine writes it. */
export function toolOutcome(text: string): ToolOutcome {
  const parsed = text.startsWith("{") || text.startsWith("[") ? parseJson(text) : undefined;
  const { status, data, error } = fieldsOf(parsed);
  if (FAILURES.has(status) && isObject(error))
    return { hasFailed: true, data: undefined, text: String(error["message"] ?? text) };
  if (status !== "success" || data === undefined) return { hasFailed: false, data: parsed, text };
  return { hasFailed: false, data, text: typeof data === "string" ? data : JSON.stringify(data) };
}
