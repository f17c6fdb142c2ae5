import { JAFErrorHandler } from "../error-handler.ts";
import type { JAFError } from "../errors.ts";

/** The error of `next` in a `wrapModelCall` hook: the model call failed, after all retries that the policy allows. */
export class ModelCallFailure extends Error {
  override readonly name = "ModelCallFailure";
  /** The error with which the run ends, unless the middleware handles it. */
  readonly error: JAFError;
  /** The HTTP status, if the provider's error carries one. */
  readonly status?: number;
  /** Whether another call may succeed. */
  readonly isRetryable: boolean;
  constructor(error: JAFError) {
    super(JAFErrorHandler.format(error));
    this.error = error;
    this.isRetryable = JAFErrorHandler.isRetryable(error);
    if (error._tag === "ModelCallError" && error.status !== undefined) this.status = error.status;
  }
}
