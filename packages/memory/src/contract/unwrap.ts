import { createMemoryStorageError, type MemoryErrorUnion, type Result } from "./errors.ts";

/**
 * The error of a function that rejects instead of returning a `Result`, e.g. because another framework calls it.
 * `memoryError` is the tagged error of the memory, which says what to do and whether a retry can succeed. Neither error
 * contains content of a conversation.
 *
 * @example
 * ```ts
 * import { MemoryCallError } from "@jaf/memory";
 *
 * const mayRetry = (error: unknown) => error instanceof MemoryCallError && error.memoryError.retryable;
 * ```
 */
export class MemoryCallError extends Error {
  override readonly name: string = "MemoryCallError";

  constructor(readonly memoryError: MemoryErrorUnion) {
    super(memoryError.message);
  }
}

/**
 * Returns the data of a successful result. Throws a `CallError` if the result is a failure or the action rejects.
 * `operation`: the name for the error of an action that rejects.
 */
export async function unwrap<T>(
  operation: string,
  action: () => Promise<Result<T>>,
  CallError: new (memoryError: MemoryErrorUnion) => MemoryCallError = MemoryCallError,
): Promise<T> {
  const result = await action().catch((cause: unknown) => {
    throw new CallError(createMemoryStorageError(operation, "the memory threw", { cause }));
  });
  if (!result.success) throw new CallError(result.error);
  return result.data;
}
