import { isMemoryConnectionError, type MemoryErrorUnion } from "../errors.ts";
import type { Result } from "../result.ts";

/** Takes note of the answer of one call to the primary; the error if it was out of reach. */
export type NoteAnswer = (result: Result<unknown>) => MemoryErrorUnion | undefined;

/** Knows whether the primary may be asked. */
export interface Circuit {
  /** The error to go by while the primary isn't asked; `undefined`: ask it. */
  readonly blockedBy: () => MemoryErrorUnion | undefined;
  /** A call to the primary begins. */
  readonly begin: () => NoteAnswer;
}

// A closed provider is no outage: its error isn't retryable.
const isOutage = (error: MemoryErrorUnion): boolean => isMemoryConnectionError(error) && error.retryable;

/**
 * A success closes it, an outage opens it. Every other answer changes nothing: a refusal may have been decided without
 * the store.
 */
export function createCircuit(cooldownMs: number): Circuit {
  let failure: MemoryErrorUnion | undefined;
  let nextAttempt = 0;
  let begun = 0;
  /** The last call that had begun when the primary last answered: what it says of an outage is out of date. */
  let settled = 0;
  return {
    blockedBy: () => {
      if (failure === undefined) return undefined;
      const now = performance.now();
      if (now < nextAttempt) return failure;
      // This call finds out for all: the others need not wait for a primary that doesn't answer.
      nextAttempt = now + cooldownMs;
      return undefined;
    },
    begin: () => {
      begun += 1;
      const call = begun;
      return (result) => {
        if (result.success) {
          failure = undefined;
          settled = begun;
          return undefined;
        }
        if (!isOutage(result.error)) return undefined;
        if (call > settled) {
          failure = result.error;
          nextAttempt = performance.now() + cooldownMs;
        }
        return result.error;
      };
    },
  };
}
