import { present } from "../runtime/objects.ts";

/** The result of an operation that can fail in ways that the caller must handle. Nothing is thrown. */
export type Result<T, E = MemoryErrorUnion> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: E };

type Success<T> = { readonly success: true; readonly data: T };
type Failure<E> = { readonly success: false; readonly error: E };

/** Creates a successful {@link Result}. */
export const createSuccess = <T>(data: T): Success<T> => ({ success: true, data });

/**
 * Creates a failed {@link Result}, e.g. with an error of `createMemoryStorageError`.
 *
 * @example
 * ```ts
 * import { createFailure, createMemoryStorageError, type MemoryProvider } from "@jaf/memory";
 *
 * export const withoutClearing = (provider: MemoryProvider): MemoryProvider => ({
 *   ...provider,
 *   clearUserConversations: async () =>
 *     createFailure(createMemoryStorageError("clearUserConversations", "this environment deletes nothing.")),
 * });
 * ```
 */
export const createFailure = <E>(error: E): Failure<E> => ({ success: false, error });

/** Whether the operation succeeded. Narrows the result to the one with `data`. */
export const isSuccess = <T, E>(result: Result<T, E>): result is Success<T> => result.success;

/** Whether the operation failed. Narrows the result to the one with `error`. */
export const isFailure = <T, E>(result: Result<T, E>): result is Failure<E> => !result.success;

/**
 * The cause of an error, reduced to fields that are safe to log. Driver errors may contain row contents and addresses.
 */
export interface ErrorCause {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

interface MemoryErrorFields {
  /** What happened and what to do. Contains no conversation content and no credentials. */
  readonly message: string;
  /** The backend, e.g. `"postgres"`. */
  readonly provider: string;
  /** The contract method that failed, e.g. `"appendMessages"`. */
  readonly operation: string;
  /** Whether the same call can succeed later. Only retry writes that have an `idempotencyKey`. */
  readonly retryable: boolean;
  readonly cause?: ErrorCause;
  /**
   * The number of attempts that a wrapper such as `withRetry` made before it gave up. Absent if the call was not
   * retried. If present, don't retry immediately: attempts would multiply.
   */
  readonly attempts?: number;
}

/** The store can't be reached, or the provider is closed. */
export interface MemoryConnectionError extends MemoryErrorFields {
  readonly _tag: "MemoryConnectionError";
}

/**
 * The conversation that a write needs doesn't exist. Reads never return this error: a missing conversation is `null` or
 * `[]`.
 */
export interface MemoryNotFoundError extends MemoryErrorFields {
  readonly _tag: "MemoryNotFoundError";
  readonly conversationId: string;
}

/** The store was reached but the operation failed. */
export interface MemoryStorageError extends MemoryErrorFields {
  readonly _tag: "MemoryStorageError";
}

/**
 * Why a write was refused.
 *
 * - `"version"`: another writer changed the messages first. `"metadata-version"`: the metadata.
 * - `"incarnation"`: the conversation was erased or created since it was read.
 * - `"idempotency-key"`: the key was used for another write.
 * - `"owner"`: another user owns the conversation.
 * - `"message-id"`: a different message is stored under the id.
 * - `"length"`: there are fewer messages than the write drops.
 * - `"lease"` (runs, not stores): another run holds the conversation's lease.
 */
export type MemoryConflictReason =
  | "version"
  | "metadata-version"
  | "incarnation"
  | "idempotency-key"
  | "owner"
  | "message-id"
  | "length"
  | "lease";

/** The write conflicts with the stored conversation. Nothing was written. */
export interface MemoryConflictError extends MemoryErrorFields {
  readonly _tag: "MemoryConflictError";
  readonly reason: MemoryConflictReason;
  /** The current version, with reason `"version"` or `"metadata-version"`. */
  readonly actualVersion?: number;
}

/** An invalid value in the input of a call. */
export interface MemoryIssue {
  /** The path of the invalid value, e.g. `messages[2].role`. */
  readonly path: string;
  /** The expected value. */
  readonly expected: string;
}

/** The input is invalid. Nothing was written. */
export interface MemoryValidationError extends MemoryErrorFields {
  readonly _tag: "MemoryValidationError";
  readonly issues: readonly MemoryIssue[];
}

/** Any error of a memory provider. Narrow it by `_tag`, or with a guard such as `isMemoryConflictError`. */
export type MemoryErrorUnion =
  | MemoryConnectionError
  | MemoryNotFoundError
  | MemoryStorageError
  | MemoryConflictError
  | MemoryValidationError;

/** Optional details for a `create…Error` function. */
export interface MemoryErrorDetails {
  /** The backend, e.g. `"postgres"`. Default `"unknown"`. */
  readonly provider?: string;
  /** The method that failed, e.g. `"appendMessages"`. Default `"unknown"`. */
  readonly operation?: string;
  /** Whether the same call can succeed later. Default: as the function says. */
  readonly retryable?: boolean;
  /** The driver's error. Only its name, message and code are kept. */
  readonly cause?: unknown;
}

/** Returns only the name, message and code of a thrown value. Never throws, even if the value's getters do. */
export function describeCause(thrown: unknown): ErrorCause {
  try {
    if (!(thrown instanceof Error)) return { name: "NonError", message: `a ${typeof thrown} was thrown` };
    const code: unknown = "code" in thrown ? thrown.code : undefined;
    return {
      name: String(thrown.name),
      message: String(thrown.message),
      ...(typeof code === "string" || typeof code === "number" ? { code: String(code) } : {}),
    };
  } catch {
    return { name: "Error", message: "the thrown value can't be read" };
  }
}

function fields(message: string, retryable: boolean, details: MemoryErrorDetails): MemoryErrorFields {
  return {
    message,
    provider: details.provider ?? "unknown",
    operation: details.operation ?? "unknown",
    retryable: details.retryable ?? retryable,
    ...(details.cause === undefined ? {} : { cause: describeCause(details.cause) }),
  };
}

/** Creates the error for a store that can't be reached. `hint` says what to do. Retryable by default. */
export function createMemoryConnectionError(
  provider: string,
  hint = "check that the server is running and reachable",
  details: MemoryErrorDetails = {},
): MemoryConnectionError {
  const message = `Cannot reach the ${provider} memory store: ${hint}.`;
  return { _tag: "MemoryConnectionError", ...fields(message, true, { ...details, provider }) };
}

/** Creates the error for a write to a conversation that doesn't exist. Not retryable by default. */
export function createMemoryNotFoundError(
  conversationId: string,
  details: MemoryErrorDetails = {},
): MemoryNotFoundError {
  const message =
    "No such conversation: it was never stored, was deleted or has expired. To begin one, use storeMessages, or appendMessages with createIfMissing.";
  return { _tag: "MemoryNotFoundError", conversationId, ...fields(message, false, details) };
}

/**
 * Creates the error for an operation that failed. `reason` says what happened and what to do. Not retryable by default.
 */
export function createMemoryStorageError(
  operation: string,
  reason: string,
  details: MemoryErrorDetails = {},
): MemoryStorageError {
  const message = `Memory operation "${operation}" failed: ${reason}`;
  return { _tag: "MemoryStorageError", ...fields(message, false, { ...details, operation }) };
}

const conflictMessages: Record<MemoryConflictReason, string> = {
  version: "The conversation has changed since it was read. Load it again and decide again.",
  "metadata-version":
    "The conversation's metadata have changed since they were read. Load them again and decide again.",
  incarnation:
    "The conversation was erased or created since it was read. Load it again, and don't write data from the earlier conversation.",
  "idempotency-key":
    "This idempotency key was already used for another write. Use a fresh key for a new write, and the same key only to retry.",
  owner: "The conversation belongs to another user. Use a conversation id of this user.",
  "message-id":
    "Another message is stored under one of these ids. Give each new message a new id; to change a message, replace the end of the conversation.",
  length: "The conversation has fewer messages than the write drops. Load it again and decide again.",
  lease: "Another run holds the lease of this conversation. Try again when it is done, or let runs queue.",
};

/** Creates the error for a write that conflicts with the stored conversation. Not retryable by default. */
export function createMemoryConflictError(
  reason: MemoryConflictReason,
  details: MemoryErrorDetails & { readonly actualVersion?: number } = {},
): MemoryConflictError {
  return {
    _tag: "MemoryConflictError",
    reason,
    ...present({ actualVersion: details.actualVersion }),
    ...fields(conflictMessages[reason], false, details),
  };
}

/** Creates the error for invalid input. Its message contains the first five issues. Not retryable by default. */
export function createMemoryValidationError(
  issues: readonly MemoryIssue[],
  details: MemoryErrorDetails = {},
): MemoryValidationError {
  const shown = issues.slice(0, 5).map(({ path, expected }) => `${path}: expected ${expected}`);
  const more = issues.length > shown.length ? `; and ${issues.length - shown.length} more` : "";
  const message = `Invalid input: ${shown.join("; ")}${more}.`;
  return { _tag: "MemoryValidationError", issues, ...fields(message, false, details) };
}

/** Whether the store can't be reached or the provider is closed: {@link MemoryConnectionError}. */
export const isMemoryConnectionError = (error: MemoryErrorUnion): error is MemoryConnectionError =>
  error._tag === "MemoryConnectionError";

/** Whether the conversation that a write needs doesn't exist: {@link MemoryNotFoundError}. */
export const isMemoryNotFoundError = (error: MemoryErrorUnion): error is MemoryNotFoundError =>
  error._tag === "MemoryNotFoundError";

/** Whether the store was reached but the operation failed: {@link MemoryStorageError}. */
export const isMemoryStorageError = (error: MemoryErrorUnion): error is MemoryStorageError =>
  error._tag === "MemoryStorageError";

/**
 * Whether the write conflicts with the stored conversation: {@link MemoryConflictError}.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, isMemoryConflictError } from "@jaf/memory";
 *
 * const provider = createInMemoryProvider();
 * const stored = await provider.appendMessages(
 *   "conv-123",
 *   [{ role: "assistant", content: "It was sent yesterday." }],
 *   {},
 *   { expectedVersion: 4 },
 * );
 * if (!stored.success && isMemoryConflictError(stored.error)) console.warn(stored.error.reason);
 * ```
 */
export const isMemoryConflictError = (error: MemoryErrorUnion): error is MemoryConflictError =>
  error._tag === "MemoryConflictError";

/** Whether the input is invalid: {@link MemoryValidationError}. */
export const isMemoryValidationError = (error: MemoryErrorUnion): error is MemoryValidationError =>
  error._tag === "MemoryValidationError";

/**
 * Thrown if a provider can't be set up: the server can't be reached, its schema can't be created, a package is not
 * installed, or an environment variable is invalid. Factories reject with it. `error` is a tagged error, like those of
 * the provider's methods.
 */
export class MemorySetupError extends Error {
  override readonly name = "MemorySetupError";

  constructor(readonly error: MemoryErrorUnion) {
    super(error.message);
  }
}
