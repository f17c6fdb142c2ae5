import type { Masking } from "@jaf/core/internal";
import type { ErrorCause } from "@jaf/memory";
import { describeCause } from "@jaf/memory/internal";

/** The details of a {@link TurnFailedError}. */
export interface TurnFailure {
  /** The id of the conversation. */
  readonly conversationId: string;
  /** The id of the turn. */
  readonly turnId: string;
  /** The name of the agent that the request named. */
  readonly agentName: string;
  /**
   * The code of the turn's error, e.g. `"ModelCallError"`. If only a tool failed, the code is `"ToolCallError"`. If only
   * the ledger couldn't record a model call, the code is `"LedgerFailed"`.
   */
  readonly code: string;
}

/**
 * The error that the server passes to `onError` if a turn failed, if a tool threw an error, or if the ledger couldn't
 * record a model call. Its `cause` has the
 * name, message, code and stack of the thrown error. Secrets in the `cause` are masked as `maskSecrets` in the run
 * configuration says. Other fields of the thrown error are left out, because they can hold a conversation.
 *
 * @example
 * ```ts
 * import { type ServerAppOptions, TurnFailedError } from "@jaf/server";
 *
 * export const onError: ServerAppOptions<unknown>["onError"] = (error, request) => {
 *   if (error instanceof TurnFailedError) console.error(error.code, error.conversationId, error.turnId, error.cause);
 *   else console.error(request?.requestId, error);
 * };
 * ```
 */
export class TurnFailedError extends Error {
  override readonly name = "TurnFailedError";
  readonly code: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly agentName: string;

  constructor(message: string, { code, conversationId, turnId, agentName }: TurnFailure, cause?: Error) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.conversationId = conversationId;
    this.turnId = turnId;
    this.agentName = agentName;
    // This constructor's stack would say nothing about the failure. The stack of the thrown error is in `cause`.
    this.stack = `${this.name}: ${message}`;
  }
}

/** How many levels of `cause` below a thrown error are copied. */
const MAX_CAUSES = 4;

/**
 * Returns a copy of a thrown error for `onError`, with secrets masked. The copy has only the fields `name`, `message`,
 * `code`, `stack` and `cause`.
 */
export function loggedError(thrown: unknown, mask: Masking, depth = 0): Error {
  // For a value that isn't an error, the message only names the type of the value.
  const error = errorFrom(describeCause(thrown), mask);
  try {
    if (!(thrown instanceof Error)) return error;
    if (typeof thrown.stack === "string") error.stack = maskedStack(thrown.stack, mask);
    if (thrown.cause !== undefined && depth < MAX_CAUSES)
      error.cause = loggedError(thrown.cause, mask, depth + 1);
  } catch {
    // A getter of the thrown error threw an error.
  }
  return error;
}

/** Masks secrets in the text above the stack's call sites. */
function maskedStack(stack: string, mask: Masking): string {
  const lines = stack.split("\n");
  const sites = lines.findLastIndex((line) => !line.startsWith("    at ")) + 1;
  // The call sites stay unchanged, because a path can look like a secret.
  return [mask(lines.slice(0, sites).join("\n")), ...lines.slice(sites)].join("\n");
}

/** Converts an `ErrorCause` into an `Error`, and masks secrets in the message. */
export function errorFrom({ name, message: given, code }: ErrorCause, mask: Masking): Error {
  const message = mask(given);
  const error = new Error(message);
  Object.defineProperty(error, "name", { value: name, enumerable: false, configurable: true });
  error.stack = `${name}: ${message}`;
  return code === undefined ? error : Object.assign(error, { code });
}
