import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** Why a model call failed: the `reason` of an {@link OpenAIError}; see {@link ModelHttpErrorReason}. */
export type OpenAIErrorReason = ModelHttpErrorReason;

/** A failed model call. It holds no conversation content and no key; see {@link ModelHttpError} for its fields. */
export class OpenAIError extends ModelHttpError {
  override readonly name = "OpenAIError";
}

export const errors = serviceErrors(OpenAIError);
