import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** Why a model call failed: the `reason` of an {@link AnthropicError}; see {@link ModelHttpErrorReason}. */
export type AnthropicErrorReason = ModelHttpErrorReason;

/** A failed model call. It holds no conversation content and no key; see {@link ModelHttpError} for its fields. */
export class AnthropicError extends ModelHttpError {
  override readonly name = "AnthropicError";
}

export const errors = serviceErrors(AnthropicError);
