import type { ErrorCause } from "@jaf/memory";

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
