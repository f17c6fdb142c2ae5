import { JAFErrorHandler } from "../error-handler.ts";
import type { JAFError } from "../errors.ts";

/** What `next` of a `wrapModelCall` rejects with: the model was asked, as often as the policy allows, and to no avail. */
export class ModelCallFailure extends Error {
  override readonly name = "ModelCallFailure";
  /** How the run ends if the middleware lets it. */
  readonly error: JAFError;
  /** The HTTP status, if the provider's error carries one. */
  readonly status?: number;
  /** Whether it may be gone next time. */
  readonly isRetryable: boolean;
  constructor(error: JAFError) {
    super(JAFErrorHandler.format(error));
    this.error = error;
    this.isRetryable = JAFErrorHandler.isRetryable(error);
    if (error._tag === "ModelCallError" && error.status !== undefined) this.status = error.status;
  }
}
