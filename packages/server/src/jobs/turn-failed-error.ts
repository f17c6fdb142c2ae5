import type { ErrorCause } from "@jaf/memory";
import { describeCause } from "@jaf/memory/internal";

/** The details of a {@link TurnFailedError}. */
export interface TurnFailure {
  /** The conversation of the turn. */
  readonly conversationId: string;
  /** The turn. */
  readonly turnId: string;
  /** The agent that began the turn. */
  readonly agentName: string;
  /** The code of the turn's error, e.g. `"ModelCallError"`. */
  readonly code: string;
}

/**
 * Reports to `onError` of the server that a turn failed, or a tool in it. `cause` has the name, the message, the code and the stack
 * of what was thrown, but no other fields, which can hold a conversation.
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
    // The stack of the server says nothing about the failure.
    this.stack = `${this.name}: ${message}`;
  }
}

/** A network error can be the cause of two others. */
const MAX_CAUSES = 4;

/** Returns a copy of what was thrown that has only the fields to log. */
export function loggedError(thrown: unknown, depth = 0): Error {
  const error = errorFrom(describeCause(thrown));
  try {
    if (!(thrown instanceof Error)) return error;
    if (typeof thrown.stack === "string") error.stack = thrown.stack;
    if (thrown.cause !== undefined && depth < MAX_CAUSES) error.cause = loggedError(thrown.cause, depth + 1);
  } catch {
    // A getter of the application's error threw.
  }
  return error;
}

/** Returns the cause of an error in a run's outcome as an error. */
export function errorFrom({ name, message, code }: ErrorCause): Error {
  const error = new Error(message);
  Object.defineProperty(error, "name", { value: name, enumerable: false, configurable: true });
  error.stack = `${name}: ${message}`;
  return code === undefined ? error : Object.assign(error, { code });
}
