import { ModelHttpError, type ModelHttpErrorReason, serviceErrors } from "@jaf/model-http";

/** Why a model call failed: the `reason` of an {@link OpenAIError}; see {@link ModelHttpErrorReason}. */
export type OpenAIErrorReason = ModelHttpErrorReason;

/**
 * A failed model call. It holds no conversation content and no key; see {@link ModelHttpError} for its fields.
 *
 * @example
 * ```ts
 * import { OpenAIError } from "@jaf/openai";
 * import { type Middleware, ModelCallFailure } from "@jaf/core";
 *
 * export const failureLog: Middleware<unknown> = {
 *   name: "failure-log",
 *   wrapModelCall: (_request, next) =>
 *     next().catch((failure: unknown) => {
 *       const error = failure instanceof ModelCallFailure ? failure.cause : undefined;
 *       if (error instanceof OpenAIError) console.error(error.reason, error.status, error.requestId);
 *       throw failure;
 *     }),
 * };
 * ```
 */
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
