import { isMemoryConnectionError, type MemoryErrorUnion } from "../errors.ts";
import type { Result } from "../result.ts";

/** Records the result of one call to the primary. Returns the error if the primary was out of reach. */
export type RecordResult = (result: Result<unknown>) => MemoryErrorUnion | undefined;

/** Decides whether the primary may be called: a circuit breaker. */
export interface Circuit {
  /** The error to report while the primary isn't called; `undefined`: call it. */
  readonly blockedBy: () => MemoryErrorUnion | undefined;
  /** A call to the primary begins. */
  readonly begin: () => RecordResult;
}

// A closed provider is no outage: its error isn't retryable.
const isOutage = (error: MemoryErrorUnion): boolean => isMemoryConnectionError(error) && error.retryable;

/**
 * A success closes it, an outage opens it. Every other result changes nothing: a refusal may have been decided
 * without the store.
 */
export function createCircuit(cooldownMs: number): Circuit {
  let failure: MemoryErrorUnion | undefined;
  let nextAttempt = 0;
  let begun = 0;
  /** The last call that had begun when the primary last answered. A failure of it, or of an earlier one, is out of date. */
  let lastAnswered = 0;
  return {
    blockedBy: () => {
      if (failure === undefined) return undefined;
      const now = performance.now();
      if (now < nextAttempt) return failure;
      // This call tests the primary for all: the others need not wait for one that doesn't answer.
      nextAttempt = now + cooldownMs;
      return undefined;
    },
    begin: () => {
      begun += 1;
      const call = begun;
      return (result) => {
        if (result.success) {
          failure = undefined;
          lastAnswered = begun;
          return undefined;
        }
        if (!isOutage(result.error)) return undefined;
        if (call > lastAnswered) {
          failure = result.error;
          nextAttempt = performance.now() + cooldownMs;
        }
        return result.error;
      };
    },
  };
}
