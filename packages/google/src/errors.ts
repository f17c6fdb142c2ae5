import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** Why a model call failed: the `reason` of a {@link GoogleError}; see {@link ModelHttpErrorReason}. */
export type GoogleErrorReason = ModelHttpErrorReason;

/**
 * A failed model call. It holds no conversation content and no key; see {@link ModelHttpError} for its fields.
 *
 * @example
 * ```ts
 * import { GoogleError } from "@jaf/google";
 * import { type Middleware, ModelCallFailure } from "@jaf/core";
 *
 * export const failureLog: Middleware<unknown> = {
 *   name: "failure-log",
 *   wrapModelCall: (_request, next) =>
 *     next().catch((failure: unknown) => {
 *       const error = failure instanceof ModelCallFailure ? failure.cause : undefined;
 *       if (error instanceof GoogleError) console.error(error.reason, error.status, error.requestId);
 *       throw failure;
 *     }),
 * };
 * ```
 */
export class GoogleError extends ModelHttpError {
  override readonly name = "GoogleError";
}

export const errors = serviceErrors(GoogleError);
