import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** See {@link ModelHttpErrorReason}. */
export type OpenAIErrorReason = ModelHttpErrorReason;

/** A model call that failed; see {@link ModelHttpError}. */
export class OpenAIError extends ModelHttpError {
  override readonly name = "OpenAIError";
}

export const errors = serviceErrors(OpenAIError);
