import {
  errorIn,
  fieldsOf,
  listOf,
  ModelHttpError,
  type ModelHttpErrorReason,
  serviceErrors,
} from "@jaf/model-http";

/** See {@link ModelHttpErrorReason}. */
export type OpenAIErrorReason = ModelHttpErrorReason;

/** A model call that failed; see {@link ModelHttpError}. */
export class OpenAIError extends ModelHttpError {
  override readonly name = "OpenAIError";
}

export const errors = serviceErrors(OpenAIError);

/** Also a reply that holds one in its first choice, as OpenRouter's do. */
export const choiceError = (body: unknown): unknown =>
  errorIn(body) ?? fieldsOf(listOf(fieldsOf(body)["choices"])[0])["error"];
