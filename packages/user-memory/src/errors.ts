import type { ErrorCause } from "@jaf/memory";
import { callSafely, describeCause, present } from "@jaf/memory/adapter";
import { warn } from "@jaf/memory/internal";

/**
 * Why a user memory didn't do what it was asked to:
 *
 * - `"invalid"`: an argument is wrong; `message` names it.
 * - `"erased"`: everything about the user was forgotten since the call, or what it was made of, began.
 * - `"forgotten"`: the fact was forgotten, and was extracted from what had been said before that.
 * - `"full"`: the user has as many facts of this kind as the limits allow.
 * - `"busy"`: others changed the same user's facts at the same time, too often in a row.
 * - `"unavailable"`: the store can't be reached, or is closed.
 * - `"storage"`: the store was reached and could not do it.
 * - `"embedding"`: `embed` failed, or returned something else than vectors.
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

export interface UserMemoryErrorFields {
  readonly code: UserMemoryErrorCode;
  /** The method that failed, e.g. `"remember"`. */
  readonly operation: string;
  /** What went wrong and what helps. Holds no fact, no id and no credential. */
  readonly message: string;
  /** Whether the same call can succeed later. */
  readonly retryable: boolean;
  readonly cause?: ErrorCause | undefined;
}

/** What every method of a store of this package rejects with. */
export class UserMemoryError extends Error {
  override readonly name = "UserMemoryError";
  readonly code: UserMemoryErrorCode;
  readonly operation: string;
  readonly retryable: boolean;

  constructor({ code, operation, message, retryable, cause }: UserMemoryErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.operation = operation;
    this.retryable = retryable;
  }
}

/** The code of a `UserMemoryError`, which a second copy of this package may have made; `undefined` for anything else. */
export function codeOf(thrown: unknown): UserMemoryErrorCode | undefined {
  const { name, code } = (thrown ?? {}) as Partial<UserMemoryError>;
  return name === "UserMemoryError" ? code : undefined;
}

export const erasedError = (operation: string): UserMemoryError =>
  new UserMemoryError({
    code: "erased",
    operation,
    message:
      "Everything about this user was forgotten while the call, or what it was made of, was under way. Nothing was written. What the user has said since can be remembered by a new call; of what was extracted from it, provenance.saidAt has to say when.",
    retryable: false,
  });

export const forgottenError = (): UserMemoryError =>
  new UserMemoryError({
    code: "forgotten",
    operation: "remember",
    message:
      "This was forgotten or rejected, and is extracted from what was said before that, or isn't the user's word; so it stays forgotten. If the user says it again, remember it with a newer provenance.saidAt, or without provenance.extractor.",
    retryable: false,
  });

export const fullError = (what: string, limit: string): UserMemoryError =>
  new UserMemoryError({
    code: "full",
    operation: "remember",
    message: `This user has as many ${what} as limits.${limit} allows. Forget or review some, or raise the limit.`,
    retryable: false,
  });

export const busyError = (operation: string): UserMemoryError =>
  new UserMemoryError({
    code: "busy",
    operation,
    message: "Others changed this user's facts at the same time, again and again. Try again.",
    retryable: true,
  });

type Failure = Omit<UserMemoryErrorFields, "cause"> & { readonly cause: unknown };

interface Reporting<Failed> {
  readonly onError?: ((error: Failed) => unknown) | undefined;
}

const type = "JAFUserMemoryWarning";

/** The kind of a cause alone: what it says may quote a fact, or what was said. */
export function kindOf(thrown: unknown): ErrorCause {
  const { name, code } = describeCause(thrown);
  return { name, message: "left out", ...present({ code }) };
}

/** Calls `onError`. If that fails itself, a warning says so: otherwise no failure would ever be heard of. Never throws. */
export const callOnError = <Failed>(onError: (error: Failed) => unknown, error: Failed): void =>
  callSafely(
    () => onError(error),
    () => warn("User memory: onError failed.", { type }),
  );

/** Reports a failure that the call goes on without. Never throws. */
export function reportError({ onError }: Reporting<UserMemoryError>, failure: Failure): void {
  const error = new UserMemoryError({ ...failure, cause: kindOf(failure.cause) });
  if (onError !== undefined) callOnError(onError, error);
  else warn(`User memory: ${error.message}`, { type, code: `JAF_${error.code.toUpperCase()}` });
}

/** Reports a failure of extraction, which nobody waits for; by default its kind alone. Never throws. */
export function reportFailure({ onError }: Reporting<unknown>, thrown: unknown): void {
  if (onError !== undefined) {
    callOnError(onError, thrown);
    return;
  }
  const { name, code } = describeCause(thrown);
  const kind = code === undefined ? name : `${name}, ${code}`;
  warn(`User memory: facts could not be extracted (${kind}). See onError.`, { type, code: "JAF_EXTRACTION" });
}

/** Calls a callback of the application's. What it throws, or rejects with, is ignored. */
export const notify = <Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void =>
  callSafely(
    () => callback?.(...args),
    () => {},
  );
