import { type JAFError, ToolErrorCodes } from "@jaf/core";
import type { MemoryErrorUnion } from "@jaf/memory";

/** The value of what has no name of its own. */
export const OTHER = "_OTHER";

/** Returns the `error.type` of a run: the error's `_tag`, the HTTP status of a model call, or the memory error's `_tag`. */
export function errorTypeOfRun(error: JAFError): string {
  switch (error._tag) {
    case "MemoryError":
      return error.error._tag;
    case "ModelCallError":
      return error.status === undefined ? error._tag : String(error.status);
    default:
      return error._tag;
  }
}

/** Returns the reason of a conflict; `undefined` if the error is none. */
export const conflictReason = (error: MemoryErrorUnion): string | undefined =>
  error._tag === "MemoryConflictError" ? error.reason : undefined;

/** Returns the `error.type` of a thrown value: its HTTP status, or the name of its class. Never its message. */
export function errorTypeOfThrown(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return OTHER;
  const { status, statusCode, name }: { status?: unknown; statusCode?: unknown; name?: unknown } = thrown;
  const code = status ?? statusCode;
  if (typeof code === "number" && Number.isInteger(code) && code >= 100 && code < 600) return String(code);
  return typeof name === "string" && /^[A-Za-z_]\w{0,63}$/.test(name) ? name : OTHER;
}

const CODES: ReadonlySet<unknown> = new Set(Object.values(ToolErrorCodes));

/** Returns the `error.type` of a failed tool: a code of `ToolErrorCodes`. A code of the application's own is `_OTHER`. */
export const errorTypeOfTool = (code: unknown): string => (CODES.has(code) ? String(code) : OTHER);
