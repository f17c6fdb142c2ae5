import { errorIn, type Fields, ModelHttpError, parseJson, serviceErrors, textField } from "@jaf/model-http";

/**
 * A failed model call. Unlike the AI SDK's errors, it holds neither the request nor the response. The engine uses
 * `isRetryable` and `headers` to decide about retries.
 *
 * @example
 * ```ts
 * import { AiSdkCallError } from "@jaf/ai-sdk";
 * import { type Middleware, ModelCallFailure } from "@jaf/core";
 *
 * export const failureLog: Middleware<unknown> = {
 *   name: "failure-log",
 *   wrapModelCall: (_request, next) =>
 *     next().catch((failure: unknown) => {
 *       const error = failure instanceof ModelCallFailure ? failure.cause : undefined;
 *       if (error instanceof AiSdkCallError) console.error(error.reason, error.status, error.requestId);
 *       throw failure;
 *     }),
 * };
 * ```
 */
export class AiSdkCallError extends ModelHttpError {
  override readonly name = "AiSdkCallError";
}

export const errors = serviceErrors(AiSdkCallError);

/**
 * Converts an error that a model threw or streamed into the error that the engine gets. Errors of the network, aborts and
 * errors of the application's own code stay unchanged.
 */
export async function callErrorOf(thrown: unknown, provider: string): Promise<unknown> {
  if (!(thrown instanceof Error)) return errors.reported(errorIn(thrown) ?? thrown, provider);
  const { name, message, cause } = thrown;
  if (name === "AI_APICallError") return apiError({ ...thrown }, provider, cause);
  if (!name.startsWith("AI_")) return thrown;
  // Some errors wrap the provider's error.
  if (cause instanceof Error && cause.name === "AI_APICallError") return callErrorOf(cause, provider);
  if (UNREADABLE.test(name)) return unreadable(provider);
  return errors.configuration(`the call of ${provider} failed: ${EXPLAINED.test(name) ? message : name}`);
}

async function apiError(fields: Fields, provider: string, cause: unknown): Promise<unknown> {
  const { statusCode: status, url, responseHeaders, responseBody, data } = fields;
  if (typeof status !== "number") {
    const details = { code: networkCode(cause), isRetryable: fields["isRetryable"] !== false };
    return new AiSdkCallError("cut", `${provider} can't be reached`, details);
  }
  const sent = typeof responseBody === "string" ? responseBody : "";
  const error = errorIn(parseJson(sent)) ?? errorIn(data);
  if (status >= 200 && status < 300)
    return error === undefined ? unreadable(provider) : errors.reported(error, provider);
  const { body } = new Response(error === undefined ? sent : JSON.stringify({ error }));
  const answer = {
    status,
    body,
    headers: new Headers(responseHeaders as Record<string, string> | undefined),
  };
  return errors.ofStatus(answer, { url: String(url), provider, hasKey: true });
}

/** Returns the code of a network error. `fetch` wraps the error that has the code. */
const networkCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error ? (textField({ ...thrown }, "code") ?? networkCode(thrown.cause)) : undefined;

const unreadable = (provider: string): AiSdkCallError => errors.malformed(provider, "no valid reply");

/** Matches names of the AI SDK's errors for invalid responses. */
const UNREADABLE =
  /^AI_(EmptyResponseBody|InvalidResponseData|JSONParse|NoContentGenerated|TypeValidation)Error$/;

/** Matches names of the AI SDK's configuration errors. Their messages quote no content, so they are shown. */
const EXPLAINED = /^AI_(LoadAPIKey|LoadSetting|NoSuchModel|UnsupportedFunctionality)Error$/;
