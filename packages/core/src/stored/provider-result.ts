import type { Result } from "@jaf/memory";
import { createFailure, createMemoryStorageError } from "@jaf/memory/internal";

/** Calls a memory provider. Returns a `MemoryStorageError` as a failure if it throws or resolves with no `Result`. */
export async function toResult<T>(operation: string, action: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return asResult(operation, await action());
  } catch (cause) {
    return thrownBy(operation, cause);
  }
}

/** Returns the value that a memory provider resolved with. If the value isn't a `Result`, returns a failure. */
export const asResult = <T>(operation: string, given: Result<T>): Result<T> =>
  isResult<T>(given)
    ? given
    : createFailure(createMemoryStorageError(operation, "the memory provider returned no result"));

/** Converts what a memory provider threw into a failure. */
export const thrownBy = (operation: string, cause: unknown) =>
  createFailure(createMemoryStorageError(operation, "the memory provider threw", { cause }));

function isResult<T>(value: unknown): value is Result<T> {
  if (typeof value !== "object" || value === null || !("success" in value)) return false;
  if (value.success === true) return true;
  const error: unknown = value.success === false && "error" in value ? value.error : undefined;
  return typeof error === "object" && error !== null && "_tag" in error;
}
