import { describeCause, present } from "@jaf/memory/engine";
import type { ModelCallError } from "../errors.ts";
import { TimeLimitError } from "../timing/time-limit.ts";
import { isRetryableFailure, type ModelRetryPolicy } from "./retry.ts";
import { retryAfterMsOf, statusOf } from "./transient.ts";

/** What was thrown, as the error of a model call that was made so many times. */
export function modelCallError(
  policy: ModelRetryPolicy | undefined,
  thrown: unknown,
  attempts: number,
): ModelCallError {
  const status = statusOf(thrown);
  const retryAfterMs = retryAfterMsOf(thrown);
  return {
    _tag: "ModelCallError",
    attempts,
    retryable: isRetryableFailure(policy, thrown),
    ...present({ status, retryAfterMs }),
    ...(thrown instanceof TimeLimitError ? { timeoutMs: thrown.timeoutMs } : {}),
    cause: describeCause(thrown),
  };
}
