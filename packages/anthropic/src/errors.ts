import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** See {@link ModelHttpErrorReason}. */
export type AnthropicErrorReason = ModelHttpErrorReason;

/** A model call that failed; see {@link ModelHttpError}. */
export class AnthropicError extends ModelHttpError {
  override readonly name = "AnthropicError";
}

export const errors = serviceErrors(AnthropicError);
