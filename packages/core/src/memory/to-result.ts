import type { Result } from "@jaf/memory";
import { createFailure, createMemoryStorageError } from "@jaf/memory/engine";

/** Calls a provider. If it throws, or resolves to something other than a `Result`, that is a `MemoryStorageError`. */
export async function toResult<T>(operation: string, action: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return asResult(operation, await action());
  } catch (cause) {
    return thrownBy(operation, cause);
  }
}

/** What a provider has resolved to. */
export const asResult = <T>(operation: string, given: Result<T>): Result<T> =>
  isResult<T>(given)
    ? given
    : createFailure(createMemoryStorageError(operation, "the memory provider returned no result"));

/** What a provider has thrown. */
export const thrownBy = (operation: string, cause: unknown) =>
  createFailure(createMemoryStorageError(operation, "the memory provider threw", { cause }));

function isResult<T>(value: unknown): value is Result<T> {
  if (typeof value !== "object" || value === null || !("success" in value)) return false;
  if (value.success === true) return true;
  const error: unknown = value.success === false && "error" in value ? value.error : undefined;
  return typeof error === "object" && error !== null && "_tag" in error;
}
