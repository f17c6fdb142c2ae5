import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** Why a model call failed: the `reason` of an {@link OpenAIError}; see {@link ModelHttpErrorReason}. */
export type OpenAIErrorReason = ModelHttpErrorReason;

/** A failed model call. It holds no conversation content and no key; see {@link ModelHttpError} for its fields. */
export class OpenAIError extends ModelHttpError {
  override readonly name = "OpenAIError";
}

const created = serviceErrors(OpenAIError);

export const errors = {
  ...created,
  /** Creates the error for a call of a tool of the service that the application runs, but no tool of the agent executes. */
  withoutTool: (name: string, provider: string): OpenAIError =>
    created.configuration(
      `${provider} calls its tool "${name}", which the application runs: add a tool with the name "${name}" to the agent`,
    ),
};
