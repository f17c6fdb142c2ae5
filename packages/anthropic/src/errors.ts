import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** Why a model call failed: the `reason` of an {@link AnthropicError}; see {@link ModelHttpErrorReason}. */
export type AnthropicErrorReason = ModelHttpErrorReason;

/**
 * A failed model call. It holds no conversation content and no key; see {@link ModelHttpError} for its fields.
 *
 * @example
 * ```ts
 * import { AnthropicError } from "@jaf/anthropic";
 * import { type Middleware, ModelCallFailure } from "@jaf/core";
 *
 * export const failureLog: Middleware<unknown> = {
 *   name: "failure-log",
 *   wrapModelCall: (_request, next) =>
 *     next().catch((failure: unknown) => {
 *       const error = failure instanceof ModelCallFailure ? failure.cause : undefined;
 *       if (error instanceof AnthropicError) console.error(error.reason, error.status, error.requestId);
 *       throw failure;
 *     }),
 * };
 * ```
 */
export class AnthropicError extends ModelHttpError {
  override readonly name = "AnthropicError";
}

export const errors = serviceErrors(AnthropicError);
