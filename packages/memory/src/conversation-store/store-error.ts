import {
  createMemoryStorageError,
  createMemoryValidationError,
  type MemoryErrorDetails,
  type MemoryErrorUnion,
  type MemoryIssue,
} from "../errors.ts";
import type { Result } from "../result.ts";

/**
 * Why a conversation store could not do what it was asked to. `memoryError` is the tagged error, as a
 * `MemoryProvider` returns it: it says what helps and whether a retry can, and holds no content.
 */
export class ConversationStoreError extends Error {
  override readonly name = "ConversationStoreError";

  constructor(readonly memoryError: MemoryErrorUnion) {
    super(memoryError.message);
  }
}

/** The name of a store of five methods in errors. */
export const PROVIDER = "conversation-store";

export const storeFailure = (
  operation: string,
  reason: string,
  details: MemoryErrorDetails = {},
): ConversationStoreError =>
  new ConversationStoreError(createMemoryStorageError(operation, reason, { provider: PROVIDER, ...details }));

export const invalidInput = (issues: readonly MemoryIssue[], details: MemoryErrorDetails) =>
  new ConversationStoreError(createMemoryValidationError(issues, details));

/** The data of a result. Throws {@link ConversationStoreError} for a failure. */
export async function unwrap<T>(operation: string, action: () => Promise<Result<T>>): Promise<T> {
  const result = await action().catch((cause: unknown) => {
    const reason = "the memory provider threw";
    throw new ConversationStoreError(createMemoryStorageError(operation, reason, { cause }));
  });
  if (!result.success) throw new ConversationStoreError(result.error);
  return result.data;
}
