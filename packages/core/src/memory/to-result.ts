import type { Result } from "@jaf/memory";
import { createFailure, createMemoryStorageError } from "@jaf/memory/engine";

/** Calls a provider. If it throws, or resolves to something other than a `Result`, that is a `MemoryStorageError`. */
export async function toResult<T>(operation: string, action: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    const result: unknown = await action();
    if (isResult<T>(result)) return result;
    return createFailure(createMemoryStorageError(operation, "the memory provider returned no result"));
  } catch (cause) {
    return createFailure(createMemoryStorageError(operation, "the memory provider threw", { cause }));
  }
}

function isResult<T>(value: unknown): value is Result<T> {
  if (typeof value !== "object" || value === null || !("success" in value)) return false;
  if (value.success === true) return true;
  const error: unknown = value.success === false && "error" in value ? value.error : undefined;
  return typeof error === "object" && error !== null && "_tag" in error;
}
