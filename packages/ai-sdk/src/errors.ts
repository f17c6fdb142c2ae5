import { maskSecrets } from "@jaf/core/adapter";
import { jsonIn, shownOrigin } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isFields, pick, textField } from "./fields.ts";

/**
 * A failed model call. Unlike the AI SDK's errors, it holds neither the request nor the response. The engine uses `status`,
 * `headers` and `isRetryable` to decide about retries.
 */
export class AiSdkCallError extends Error {
  override readonly name = "AiSdkCallError";
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean;
  /** The HTTP status, if the provider answered with a redirect or an error status (300 or higher). */
  readonly status?: number;
  /** The provider's error code, e.g. `"rate_limit_error"`. */
  readonly code?: string;
  /** The response headers `retry-after` and `retry-after-ms`, if the provider sent them. */
  readonly headers?: Fields;

  constructor(message: string, { isRetryable, status, code, headers }: CallFailure) {
    super(message);
    this.isRetryable = isRetryable;
    if (status !== undefined) this.status = status;
    if (code !== undefined) this.code = code;
    if (headers !== undefined) this.headers = headers;
  }
}

interface CallFailure {
  readonly isRetryable: boolean;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly headers?: Fields | undefined;
}

/** Converts an error that a model threw or streamed into the error that the engine gets. */
export function callErrorOf(thrown: unknown, provider: string): unknown {
  // Network errors, aborts and errors of the application's own code are passed on.
  if (thrown instanceof Error && !thrown.name.startsWith("AI_")) return thrown;
  if (!(thrown instanceof Error)) return streamedError(thrown, provider);
  const fields: Fields = { ...thrown };
  return thrown.name === "AI_APICallError"
    ? apiError(fields, provider, thrown)
    : sdkError(thrown, fields, provider);
}

function apiError(fields: Fields, provider: string, { cause }: Error): AiSdkCallError {
  const { statusCode, isRetryable } = fields;
  if (typeof statusCode !== "number") {
    const code = networkCode(cause);
    return new AiSdkCallError(`${provider} can't be reached`, { isRetryable: isRetryable !== false, code });
  }
  if (statusCode >= 200 && statusCode < 300) return unreadable(provider);
  if (statusCode < 400) return redirected(provider, statusCode, fields);
  const { code, message } = explanationOf(fields);
  const said = [code === undefined ? "" : ` (${code})`, message === undefined ? "" : `: ${message}`].join("");
  return new AiSdkCallError(`${provider} answered with status ${statusCode}${said}`, {
    isRetryable: isRetryable === true,
    status: statusCode,
    code,
    headers: retryHeaders(fields["responseHeaders"]),
  });
}

/** The status of a redirect in browsers. */
const HIDDEN_REDIRECT = 0;

function redirected(provider: string, statusCode: number, { url }: Fields): AiSdkCallError {
  const status = statusCode === HIDDEN_REDIRECT ? undefined : statusCode;
  const answer = status === undefined ? "a redirect" : `status ${status}`;
  const remedy = `${shownOrigin(String(url))} redirects: set baseURL to the final address`;
  return new AiSdkCallError(`${provider} answered with ${answer}; ${remedy}`, { isRetryable: false, status });
}

const unreadable = (provider: string): AiSdkCallError =>
  new AiSdkCallError(`The response of ${provider} isn't valid`, { isRetryable: true });

/** Names of the AI SDK's errors for invalid responses. Their messages quote the response, so they aren't shown. */
const UNREADABLE: ReadonlySet<string> = new Set(
  ["EmptyResponseBody", "InvalidResponseData", "JSONParse", "NoContentGenerated", "TypeValidation"].map(
    (kind) => `AI_${kind}Error`,
  ),
);

/** Names of the AI SDK's configuration errors. Their messages quote no content, so they are shown. */
const EXPLAINED: ReadonlySet<string> = new Set(
  ["LoadAPIKey", "LoadSetting", "NoSuchModel", "UnsupportedFunctionality"].map((kind) => `AI_${kind}Error`),
);

function sdkError({ name, message, cause }: Error, fields: Fields, provider: string): AiSdkCallError {
  // Some errors wrap the provider's error.
  if (cause instanceof Error && cause.name === "AI_APICallError")
    return apiError({ ...cause }, provider, cause);
  if (UNREADABLE.has(name)) return unreadable(provider);
  const said = EXPLAINED.has(name) ? quoteless(message) : name;
  return new AiSdkCallError(`The call of ${provider} failed: ${said}`, {
    isRetryable: fields["isRetryable"] === true,
  });
}

/**
 * Matches codes and messages of streamed errors that the request caused. Any other streamed error counts as a server error.
 */
const CALLERS_FAULT =
  /invalid|authentication|permission|not_found|not found|too_large|content_filter|billing|quota/i;

function streamedError(error: unknown, provider: string): AiSdkCallError {
  const { code, message } = explanationOf({ data: isFields(error) ? error : { message: error } });
  const said = [code === undefined ? "" : ` (${code})`, message === undefined ? "" : `: ${message}`].join("");
  return new AiSdkCallError(`${provider} ended its stream with an error${said}`, {
    isRetryable: !CALLERS_FAULT.test(code ?? message ?? ""),
    code,
  });
}

interface Explanation {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

const CODE = /^[\w.-]{1,64}$/;

/**
 * Finds an error's code and message in the formats of different providers, such as `{ error: { type, code, message } }`.
 */
function explanationOf({ data, responseBody }: Fields): Explanation {
  const body = isFields(data) ? data : typeof responseBody === "string" ? jsonIn(responseBody) : undefined;
  const outer = fieldsOf(body);
  const inner = isFields(outer["error"]) ? outer["error"] : outer;
  const code = ["type", "code", "status"].map((name) => inner[name]).find(isCode);
  const message = textField(inner, "message") ?? textField(outer, "error");
  return { code, ...(message === undefined ? {} : { message: quoteless(message) }) };
}

const isCode = (value: unknown): value is string =>
  typeof value === "string" && value !== "error" && CODE.test(value);

const MAX_MESSAGE = 300;

/** Makes an error message one line. Removes possible secrets and long quotations, which may be from the conversation. */
function quoteless(message: string): string {
  const line = maskSecrets(message.slice(0, 4 * MAX_MESSAGE)).replaceAll(/\s+/g, " ");
  const short = line.replaceAll(/(["'`])(?:(?!\1).){41,}(?:\1|$)/g, "$1…$1");
  return short.length > MAX_MESSAGE ? `${short.slice(0, MAX_MESSAGE)}…` : short;
}

function retryHeaders(headers: unknown): Fields | undefined {
  const lower = Object.fromEntries(
    Object.entries(fieldsOf(headers)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const kept = pick(lower, ["retry-after", "retry-after-ms"]);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function networkCode(cause: unknown, depth = 0): string | undefined {
  if (!(cause instanceof Error) || depth > 5) return undefined;
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  return networkCode(cause.cause, depth + 1);
}
