import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** See {@link ModelHttpErrorReason}. */
export type GoogleErrorReason = ModelHttpErrorReason;

/** A model call that failed; see {@link ModelHttpError}. */
export class GoogleError extends ModelHttpError {
  override readonly name = "GoogleError";
}

export const errors = serviceErrors(GoogleError);
