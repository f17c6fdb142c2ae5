import { isMemoryConnectionError, type MemoryErrorUnion } from "../errors.ts";
import type { Result } from "../result.ts";

/** Knows whether the primary may be asked. */
export interface Circuit {
  /** The error to go by while the primary isn't asked; `undefined`: ask it. */
  readonly blockedBy: () => MemoryErrorUnion | undefined;
  /** Takes note of an answer of the primary; the error if it was out of reach. */
  readonly note: (result: Result<unknown>) => MemoryErrorUnion | undefined;
}

export function createCircuit(cooldownMs: number): Circuit {
  let failure: MemoryErrorUnion | undefined;
  let nextAttempt = 0;
  return {
    blockedBy: () => {
      if (failure === undefined) return undefined;
      const now = performance.now();
      if (now < nextAttempt) return failure;
      // This call finds out for all: the others need not wait for a primary that doesn't answer.
      nextAttempt = now + cooldownMs;
      return undefined;
    },
    note: (result) => {
      // A closed provider is no outage: its error isn't retryable. Any other answer came from the store.
      const unreachable = !result.success && isMemoryConnectionError(result.error) && result.error.retryable;
      failure = unreachable ? result.error : undefined;
      if (unreachable) nextAttempt = performance.now() + cooldownMs;
      return failure;
    },
  };
}
