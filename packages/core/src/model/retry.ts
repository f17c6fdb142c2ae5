import { backoffDelayMs } from "@jaf/memory/engine";
import { isTransient } from "./transient.ts";

/**
 * When a model call is retried, and after which delay: exponential backoff with full jitter, or the delay of the provider's
 * `Retry-After` header. If that is longer than `maxDelayMs`, the call isn't retried, and the error has the delay.
 */
export interface ModelRetryPolicy {
  /** How many attempts in all, including the first. `1`: no retry. Default 3. */
  readonly maxAttempts?: number;
  /** The maximum of the first delay, in milliseconds; it doubles with each attempt. Default 500. */
  readonly baseDelayMs?: number;
  /** The maximum of every delay, in milliseconds. Default 30,000. */
  readonly maxDelayMs?: number;
  /**
   * Whether an error of the provider is transient. Default: the error's own boolean `isRetryable`, if it has one, else network
   * errors, timeouts, and the statuses 408, 409, 429 and 5xx. An unusable reply is retried where another may be usable.
   */
  readonly isRetryable?: (error: unknown) => boolean;
}

export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
}

/** The delay before the next attempt, in milliseconds; `undefined`: there is none. */
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

/** By the policy's `isRetryable`, or the default. If that throws, the error isn't retryable. */
export function isRetryableFailure(policy: ModelRetryPolicy | undefined, thrown: unknown): boolean {
  try {
    // Called on the policy, which may be an instance of a class.
    return policy?.isRetryable === undefined ? isTransient(thrown) : policy.isRetryable(thrown);
  } catch {
    return false;
  }
}
