import { present } from "../runtime/objects.ts";

/**
 * The result of an operation that can fail: `data` if the operation succeeded, `error` if it failed. Operations that
 * return a `Result` throw nothing.
 */
export type Result<T, E = MemoryErrorUnion> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: E };

type Success<T> = { readonly success: true; readonly data: T };
type Failure<E> = { readonly success: false; readonly error: E };

/**
 * Creates a successful {@link Result}.
 *
 * @example
 * ```ts
 * import { createSuccess, type MemoryProvider } from "@jaf/memory";
 *
 * // A provider that ignores deletions.
 * export const keepingAll = (provider: MemoryProvider): MemoryProvider => ({
 *   ...provider,
 *   deleteConversation: async () => createSuccess(false),
 * });
 * ```
 */
export const createSuccess = <T>(data: T): Success<T> => ({ success: true, data });

/**
 * Creates a failed {@link Result} that contains `error` (e.g. from `createMemoryStorageError`).
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

/**
 * Whether the operation succeeded. If so, TypeScript knows that the result has `data`.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, isSuccess } from "@jaf/memory";
 *
 * const found = await createInMemoryProvider().getConversation("conv-123");
 * if (isSuccess(found)) console.log(found.data?.messages.length ?? "no such conversation");
 * ```
 */
export const isSuccess = <T, E>(result: Result<T, E>): result is Success<T> => result.success;

/**
 * Whether the operation failed. If so, TypeScript knows that the result has `error`.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, isFailure } from "@jaf/memory";
 *
 * const found = await createInMemoryProvider().getConversation("conv-123");
 * if (isFailure(found)) throw new Error(found.error.message);
 * console.log(found.data?.messages);
 * ```
 */
export const isFailure = <T, E>(result: Result<T, E>): result is Failure<E> => !result.success;

/**
 * The cause of an error, reduced to fields that are safe to log. The driver's original error has other fields, which
 * may contain stored content and addresses of servers.
 */
export interface ErrorCause {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

interface MemoryErrorFields {
  /** What happened and what to do, in English. Contains no conversation content and no credentials. */
  readonly message: string;
  /** The name of the backend that failed (e.g. `"postgres"`). */
  readonly provider: string;
  /** The provider's method that failed (e.g. `"appendMessages"`). */
  readonly operation: string;
  /** Whether the same call can succeed later. Only retry a write if it has an `idempotencyKey`. */
  readonly retryable: boolean;
  readonly cause?: ErrorCause;
  /**
   * The number of attempts that a wrapper (e.g. `withRetry`) made before it gave up. Absent if no wrapper retried the
   * call. If `attempts` is present, don't retry the call at once: the wrapper would make all its attempts again for
   * each of yours.
   */
  readonly attempts?: number;
}

/** The store can't be reached, or the provider was closed. */
export interface MemoryConnectionError extends MemoryErrorFields {
  readonly _tag: "MemoryConnectionError";
}

/**
 * A write needs a conversation that doesn't exist. Reads never return this error: for a missing conversation they
 * return `null` or `[]`.
 */
export interface MemoryNotFoundError extends MemoryErrorFields {
  readonly _tag: "MemoryNotFoundError";
  readonly conversationId: string;
}

/** The store was reached, but the operation failed in the store. */
export interface MemoryStorageError extends MemoryErrorFields {
  readonly _tag: "MemoryStorageError";
}

/**
 * Why a write was refused.
 *
 * - `"version"`: another writer changed the messages since the expected version.
 * - `"metadata-version"`: another writer changed the metadata since the expected metadata version.
 * - `"incarnation"`: the conversation was erased or created since the read that returned the expected incarnation.
 * - `"idempotency-key"`: the same key was already used for a different write.
 * - `"owner"`: the conversation belongs to another user.
 * - `"message-id"`: a different message is stored under one of the given ids.
 * - `"length"`: the conversation has fewer messages than the write drops from its end.
 * - `"lease"`: another run holds the conversation's lease. Runs report this reason; stores never do.
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
  /** The stored version or metadata version. Present with the reasons `"version"` and `"metadata-version"`. */
  readonly actualVersion?: number;
}

/** One invalid value in the input of a call. */
export interface MemoryIssue {
  /** The path of the invalid value (e.g. `messages[2].role`). */
  readonly path: string;
  /** What would be valid in place of the value (e.g. `a non-empty string`). */
  readonly expected: string;
}

/** The input is invalid. Nothing was written. */
export interface MemoryValidationError extends MemoryErrorFields {
  readonly _tag: "MemoryValidationError";
  readonly issues: readonly MemoryIssue[];
}

/** Any error of a memory provider. Narrow its type by `_tag`, or with a guard such as `isMemoryConflictError`. */
export type MemoryErrorUnion =
  | MemoryConnectionError
  | MemoryNotFoundError
  | MemoryStorageError
  | MemoryConflictError
  | MemoryValidationError;

/** Optional details of an error, for the functions that create errors (e.g. `createMemoryStorageError`). */
export interface MemoryErrorDetails {
  /** The name of the backend that failed (e.g. `"postgres"`). Default `"unknown"`. */
  readonly provider?: string;
  /** The provider's method that failed (e.g. `"appendMessages"`). Default `"unknown"`. */
  readonly operation?: string;
  /** Whether the same call can succeed later. Each function that creates an error states its default. */
  readonly retryable?: boolean;
  /** The driver's error. Only its name, message and code are kept. */
  readonly cause?: unknown;
}

/** Returns the name, the message and the code of a thrown value. Never throws, even if a getter of the value does. */
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

/** The `provider` of an error that names none. */
export const UNKNOWN_PROVIDER = "unknown";

/** Returns the error with the provider's name, if the error names no provider. */
export const withProvider = (error: MemoryErrorUnion, provider: string): MemoryErrorUnion =>
  error.provider === UNKNOWN_PROVIDER ? { ...error, provider } : error;

function fields(message: string, retryable: boolean, details: MemoryErrorDetails): MemoryErrorFields {
  return {
    message,
    provider: details.provider ?? UNKNOWN_PROVIDER,
    operation: details.operation ?? "unknown",
    retryable: details.retryable ?? retryable,
    ...(details.cause === undefined ? {} : { cause: describeCause(details.cause) }),
  };
}

/**
 * Creates the error for a store that can't be reached. `hint` says what to do. By default, the error is retryable.
 *
 * @example
 * ```ts
 * import { createFailure, createMemoryConnectionError, type MemoryProvider } from "@jaf/memory";
 *
 * // A provider for a test of what your application does while the store is down.
 * export const unreachable = (provider: MemoryProvider): MemoryProvider => ({
 *   ...provider,
 *   getConversation: async () => createFailure(createMemoryConnectionError("redis")),
 * });
 * ```
 */
export function createMemoryConnectionError(
  provider: string,
  hint = "check that the server is running and reachable",
  details: MemoryErrorDetails = {},
): MemoryConnectionError {
  const message = `Cannot reach the ${provider} memory store: ${hint}.`;
  return { _tag: "MemoryConnectionError", ...fields(message, true, { ...details, provider }) };
}

/**
 * Creates the error for a write to a conversation that doesn't exist. By default, the error is not retryable.
 *
 * @example
 * ```ts
 * import { createFailure, createMemoryNotFoundError, type MemoryProvider } from "@jaf/memory";
 *
 * // A provider that never stores to conversations of the archive.
 * export const withArchive = (provider: MemoryProvider): MemoryProvider => ({
 *   ...provider,
 *   appendMessages: async (id, ...rest) =>
 *     id.startsWith("archive:")
 *       ? createFailure(createMemoryNotFoundError(id, { operation: "appendMessages" }))
 *       : provider.appendMessages(id, ...rest),
 * });
 * ```
 */
export function createMemoryNotFoundError(
  conversationId: string,
  details: MemoryErrorDetails = {},
): MemoryNotFoundError {
  const message =
    "No such conversation: it was never stored, was deleted or has expired. To begin one, use storeMessages, or appendMessages with createIfMissing.";
  return { _tag: "MemoryNotFoundError", conversationId, ...fields(message, false, details) };
}

/**
 * Creates the error for an operation that failed in the store. `reason` says what happened and what to do. By default,
 * the error is not retryable.
 *
 * @example
 * ```ts
 * import { createFailure, createMemoryStorageError, type MemoryProvider } from "@jaf/memory";
 *
 * export const readOnly = (provider: MemoryProvider): MemoryProvider => ({
 *   ...provider,
 *   storeMessages: async () =>
 *     createFailure(createMemoryStorageError("storeMessages", "the store is read-only during maintenance.")),
 * });
 * ```
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

/**
 * Creates the error for a write that conflicts with the stored conversation. By default, the error is not retryable.
 */
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

/**
 * Creates the error for invalid input. Its message contains the first five issues. By default, the error is not
 * retryable.
 */
export function createMemoryValidationError(
  issues: readonly MemoryIssue[],
  details: MemoryErrorDetails = {},
): MemoryValidationError {
  const shown = issues.slice(0, 5).map(({ path, expected }) => `${path}: expected ${expected}`);
  const more = issues.length > shown.length ? `; and ${issues.length - shown.length} more` : "";
  const message = `Invalid input: ${shown.join("; ")}${more}.`;
  return { _tag: "MemoryValidationError", issues, ...fields(message, false, details) };
}

/**
 * Whether the error is a {@link MemoryConnectionError}: the store can't be reached, or the provider was closed.
 *
 * @example
 * ```ts
 * import { isMemoryConnectionError, type MemoryErrorUnion } from "@jaf/memory";
 *
 * export const statusOf = (error: MemoryErrorUnion): number => (isMemoryConnectionError(error) ? 503 : 500);
 * ```
 */
export const isMemoryConnectionError = (error: MemoryErrorUnion): error is MemoryConnectionError =>
  error._tag === "MemoryConnectionError";

/**
 * Whether the error is a {@link MemoryNotFoundError}: a write needs a conversation that doesn't exist.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, isMemoryNotFoundError } from "@jaf/memory";
 *
 * const appended = await createInMemoryProvider().appendMessages("conv-123", [{ role: "user", content: "Hi" }]);
 * if (!appended.success && isMemoryNotFoundError(appended.error)) console.log(appended.error.conversationId);
 * ```
 */
export const isMemoryNotFoundError = (error: MemoryErrorUnion): error is MemoryNotFoundError =>
  error._tag === "MemoryNotFoundError";

/**
 * Whether the error is a {@link MemoryStorageError}: the store was reached, but the operation failed in it.
 *
 * @example
 * ```ts
 * import { isMemoryStorageError, type MemoryErrorUnion } from "@jaf/memory";
 *
 * export function report(error: MemoryErrorUnion): void {
 *   if (isMemoryStorageError(error)) console.error(error.provider, error.operation, error.message, error.cause?.code);
 * }
 * ```
 */
export const isMemoryStorageError = (error: MemoryErrorUnion): error is MemoryStorageError =>
  error._tag === "MemoryStorageError";

/**
 * Whether the error is a {@link MemoryConflictError}: a write conflicts with the stored conversation.
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

/**
 * Whether the error is a {@link MemoryValidationError}: the input of the call is invalid.
 *
 * @example
 * ```ts
 * import { isMemoryValidationError, type MemoryErrorUnion } from "@jaf/memory";
 *
 * export const problems = (error: MemoryErrorUnion): readonly string[] =>
 *   isMemoryValidationError(error) ? error.issues.map(({ path, expected }) => `${path}: expected ${expected}`) : [];
 * ```
 */
export const isMemoryValidationError = (error: MemoryErrorUnion): error is MemoryValidationError =>
  error._tag === "MemoryValidationError";

/**
 * Thrown if a provider can't be set up (e.g. the server can't be reached, a table can't be created, a package is not
 * installed, an environment variable is invalid). Functions that create a provider asynchronously reject with this
 * error. Its field `error` is a tagged error, as a provider's methods return it.
 *
 * @example
 * ```ts
 * import { createMemoryProviderFromEnv, MemorySetupError } from "@jaf/memory";
 *
 * const provider = await createMemoryProviderFromEnv().catch((thrown: unknown) => {
 *   if (thrown instanceof MemorySetupError) console.error(thrown.message); // Says what to do.
 *   throw thrown;
 * });
 * console.log(await provider.healthCheck());
 * ```
 */
export class MemorySetupError extends Error {
  override readonly name = "MemorySetupError";

  constructor(readonly error: MemoryErrorUnion) {
    super(error.message);
  }
}
