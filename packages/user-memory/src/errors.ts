import type { ErrorCause } from "@jaf/memory";
import { callSafely, describeCause, present } from "@jaf/memory/adapter";
import { warn } from "@jaf/memory/internal";

/**
 * Why a call of a user memory failed:
 *
 * - `"invalid"`: an argument is invalid. The error's `message` names the argument.
 * - `"erased"`: the user's memory was erased after the call began, or after the beginning of the turn that the call
 *   belongs to.
 * - `"forgotten"`: the fact was forgotten or rejected before, and the call isn't based on a newer statement of the
 *   user.
 * - `"full"`: a limit of the user's memory is reached, e.g. the maximum number of facts that wait for review (see
 *   `UserMemoryLimits`).
 * - `"busy"`: the call gave up after many attempts, because other writes changed the user's data during each attempt.
 * - `"unavailable"`: the store can't be reached, is closed, or is too slow.
 * - `"storage"`: the store reported an error, or the option `resolve` failed.
 * - `"embedding"`: the option `embed` failed, or its result isn't a list of vectors.
 */
export type UserMemoryErrorCode =
  | "invalid"
  | "erased"
  | "forgotten"
  | "full"
  | "busy"
  | "unavailable"
  | "storage"
  | "embedding";

/** The fields of a {@link UserMemoryError}. */
export interface UserMemoryErrorFields {
  /** Why the call failed. */
  readonly code: UserMemoryErrorCode;
  /** The store's method that failed, e.g. `"remember"`. */
  readonly operation: string;
  /** What went wrong and what to do. Contains no fact, no id and no credential. */
  readonly message: string;
  /** Whether the call can succeed if it is repeated later. */
  readonly retryable: boolean;
  /** The error that caused this error, without its stack, e.g. an error of the database or of your `embed` function. */
  readonly cause?: ErrorCause | undefined;
}

/**
 * The error of a failed call of a user memory. If a method of this package's stores fails, the method rejects with this
 * error.
 *
 * @example
 * ```ts
 * import { MemoryUserMemory, UserMemoryError } from "@jaf/user-memory";
 *
 * const memory = new MemoryUserMemory();
 * try {
 *   await memory.remember("user-123", "Likes tea");
 * } catch (error) {
 *   if (!(error instanceof UserMemoryError)) throw error;
 *   console.error(error.code, error.operation, error.retryable);
 * }
 * ```
 */
export class UserMemoryError extends Error {
  override readonly name = "UserMemoryError";
  /** Why the call failed. */
  readonly code: UserMemoryErrorCode;
  /** The store's method that failed, e.g. `"remember"`. */
  readonly operation: string;
  /** Whether the call can succeed if it is repeated later. */
  readonly retryable: boolean;

  constructor({ code, operation, message, retryable, cause }: UserMemoryErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.operation = operation;
    this.retryable = retryable;
  }
}

/** Returns the code of a `UserMemoryError`, or `undefined` for another value. */
export function codeOf(thrown: unknown): UserMemoryErrorCode | undefined {
  // Another copy of this package may have created the error, so `instanceof` alone isn't enough.
  const { name, code } = (thrown ?? {}) as Partial<UserMemoryError>;
  return name === "UserMemoryError" ? code : undefined;
}

export const erasedError = (operation: string): UserMemoryError =>
  new UserMemoryError({
    code: "erased",
    operation,
    message:
      "This user's memory was erased after the call, or the turn it belongs to, began. Nothing was written. You can remember what the user has said since in a new call. For extracted facts, set provenance.saidAt.",
    retryable: false,
  });

export const forgottenError = (): UserMemoryError =>
  new UserMemoryError({
    code: "forgotten",
    operation: "remember",
    message:
      "This fact was forgotten or rejected before. Only a newer statement of the user can bring it back. If the user says it again, remember it with a newer provenance.saidAt, or without provenance.extractor.",
    retryable: false,
  });

export const fullError = (what: string, limit: string): UserMemoryError =>
  new UserMemoryError({
    code: "full",
    operation: "remember",
    message: `This user has reached the limit of ${what} (limits.${limit}). Forget or review some, or raise the limit.`,
    retryable: false,
  });

export const busyError = (operation: string): UserMemoryError =>
  new UserMemoryError({
    code: "busy",
    operation,
    message: "Other writes changed this user's facts at the same time, too often in a row. Try again.",
    retryable: true,
  });

type Failure = Omit<UserMemoryErrorFields, "cause"> & { readonly cause: unknown };

interface Reporting<Failed> {
  readonly onError?: ((error: Failed) => unknown) | undefined;
}

const type = "JAFUserMemoryWarning";

/** Returns the name and the code of an error, without its message. */
export function kindOf(thrown: unknown): ErrorCause {
  // The message may quote a fact or the user's words.
  const { name, code } = describeCause(thrown);
  return { name, message: "left out", ...present({ code }) };
}

/** Calls the function of an option `onError` with an error. Never throws. */
export const callOnError = <Failed>(onError: (error: Failed) => unknown, error: Failed): void =>
  callSafely(
    () => onError(error),
    () => warn("User memory: onError failed.", { type }),
  );

/** Reports a failure that doesn't end the call of the store, e.g. a failure of `embed`. Never throws. */
export function reportError({ onError }: Reporting<UserMemoryError>, failure: Failure): void {
  const error = new UserMemoryError({ ...failure, cause: kindOf(failure.cause) });
  if (onError !== undefined) callOnError(onError, error);
  else warn(`User memory: ${error.message}`, { type, code: `JAF_${error.code.toUpperCase()}` });
}

/** Reports a failed extraction. Never throws. */
export function reportFailure({ onError }: Reporting<unknown>, thrown: unknown): void {
  if (onError !== undefined) {
    callOnError(onError, thrown);
    return;
  }
  const { name, code } = describeCause(thrown);
  const kind = code === undefined ? name : `${name}, ${code}`;
  warn(`User memory: an extraction failed (${kind}). Set onError to get the error.`, {
    type,
    code: "JAF_EXTRACTION",
  });
}

/** Calls an optional callback (e.g. `onExtracted`) if it is set. Ignores errors of the callback. */
export const notify = <Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void =>
  callSafely(
    () => callback?.(...args),
    () => {},
  );
