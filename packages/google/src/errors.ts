import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** Why a model call failed: the `reason` of a {@link GoogleError}; see {@link ModelHttpErrorReason}. */
export type GoogleErrorReason = ModelHttpErrorReason;

/** A failed model call. It holds no conversation content and no key; see {@link ModelHttpError} for its fields. */
export class GoogleError extends ModelHttpError {
  override readonly name = "GoogleError";
}

export const errors = serviceErrors(GoogleError);
