import { backoffDelayMs } from "@jaf/memory/engine";
import { isTransient } from "./transient.ts";

/**
 * When a model call is tried again, and how long after: exponential backoff with full jitter, or what the provider
 * asks for in a `Retry-After` header. A provider that asks for more than `maxDelayMs` isn't called again; the error
 * then says when it can be.
 */
export interface ModelRetryPolicy {
  /** Calls in all, the first one included. `1`: never again. Default 3. */
  readonly maxAttempts?: number;
  /** The longest first wait, in milliseconds; it doubles with each attempt. Default 500. */
  readonly baseDelayMs?: number;
  /** The longest wait, in milliseconds. Default 30,000. */
  readonly maxDelayMs?: number;
  /**
   * Whether what the provider threw can be gone next time. Default: what the error says of itself by a boolean
   * `isRetryable`, else network errors, timeouts, and the statuses 408, 409, 429 and 5xx. A reply that holds nothing usable
   * is tried again where the model may do better.
   */
  readonly isRetryable?: (error: unknown) => boolean;
}

export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
}

/** Milliseconds to wait before the next attempt; `undefined` if there is none. */
export function retryDelayMs(
  policy: ModelRetryPolicy | undefined,
  failed: FailedAttempt,
): number | undefined {
  const { maxAttempts = 3, baseDelayMs = 500, maxDelayMs = 30_000 } = policy ?? {};
  const { attempt, retryable, retryAfterMs } = failed;
  if (!retryable || !(attempt < maxAttempts)) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs <= maxDelayMs ? retryAfterMs : undefined;
  return backoffDelayMs(attempt, { baseDelayMs, maxDelayMs });
}

/** By the policy's own judgement, or the default one. A judge that throws says no. */
export function isRetryableFailure(policy: ModelRetryPolicy | undefined, thrown: unknown): boolean {
  try {
    // Called on the policy, which may be an instance of a class.
    return policy?.isRetryable === undefined ? isTransient(thrown) : policy.isRetryable(thrown);
  } catch {
    return false;
  }
}
