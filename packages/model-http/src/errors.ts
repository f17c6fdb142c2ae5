import { present, shownOrigin } from "@jaf/memory/internal";
import { errorText } from "./body.ts";
import { type Fields, fieldsOf, isObject, listOf, parseJson } from "./fields.ts";

/**
 * Why a model call failed.
 *
 * - `"status"`: the service answered with an HTTP error or a redirect
 * - `"reported"`: the service answered 200 with an error in the body or stream
 * - `"malformed"`: the response isn't a reply
 * - `"cut"`: the response ended early
 * - `"configuration"`: a setting is missing or wrong
 */
export type ModelHttpErrorReason = "status" | "reported" | "malformed" | "cut" | "configuration";

/** The fields of a new {@link ModelHttpError}. */
export interface ModelHttpErrorDetails {
  /**
   * The HTTP status of the response. If a response with status 200 reports an error with its own status, this is the
   * reported status. `undefined` for a redirect in browsers, which hide its status.
   */
  readonly status?: number | undefined;
  /** The service's error code, e.g. `"rate_limit_exceeded"`. */
  readonly code?: string | undefined;
  /** The service's error type, e.g. `"invalid_request_error"`. */
  readonly type?: string | undefined;
  /** The request's field that caused the error. */
  readonly param?: string | undefined;
  /** The service's id of the request, for questions to its support. */
  readonly requestId?: string | undefined;
  /** How long to wait before a retry, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
  /** The error that `fetch` threw, if it threw one. */
  readonly cause?: unknown;
}

/**
 * A failed model call. The error holds neither the API key nor content of the conversation. It leaves out the service's
 * message, which may quote the key or the conversation. To see the service's message, pass a `fetch` that logs
 * responses.
 */
export class ModelHttpError extends Error {
  override readonly name: string = "ModelHttpError";
  /** Why the call failed. */
  readonly reason: ModelHttpErrorReason;
  /**
   * The HTTP status of the response. If a response with status 200 reports an error with its own status, this is the
   * reported status. `undefined` for a redirect in browsers, which hide its status.
   */
  readonly status: number | undefined;
  /** The service's error code, e.g. `"rate_limit_exceeded"`. */
  readonly code: string | undefined;
  /** The service's error type, e.g. `"invalid_request_error"`. */
  readonly type: string | undefined;
  /** The request's field that caused the error. */
  readonly param: string | undefined;
  /** The service's id of the request, for questions to its support. */
  readonly requestId: string | undefined;
  /** How long to wait before a retry, in milliseconds, if the service says so. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later. The engine retries only if this is `true`. */
  readonly isRetryable: boolean;
  /** Contains the header `retry-after-ms` if the delay before a retry is known. The engine waits for this delay. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: ModelHttpErrorReason, message: string, details: ModelHttpErrorDetails) {
    super(message, present({ cause: details.cause }));
    this.reason = reason;
    this.status = details.status;
    this.code = details.code;
    this.type = details.type;
    this.param = details.param;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.isRetryable = details.isRetryable;
    this.headers =
      details.retryAfterMs === undefined ? {} : { "retry-after-ms": String(details.retryAfterMs) };
  }
}

/** Creates the errors of one service. */
export interface ServiceErrors<E extends ModelHttpError = ModelHttpError> {
  /**
   * Creates the error for a response whose status isn't 2xx, from the body of the response. `url`: the URL of the
   * request. `hasKey`: whether the request had an API key. The error of a redirect names the host of `url`.
   */
  readonly ofStatus: (
    response: Pick<Response, "status" | "headers" | "body">,
    asked: { readonly url: string; readonly provider: string; readonly hasKey: boolean },
  ) => Promise<E>;
  /** Creates the error for a response with status 200 that contains an error. */
  readonly reported: (error: unknown, provider: string) => E;
  /**
   * Creates the error for a response that isn't a reply. `what` describes the response without quoting it, e.g.
   * `"invalid JSON"`.
   */
  readonly malformed: (provider: string, what: string) => E;
  /** Creates the error for a response that ends early. `cause`: the error that `fetch` threw. */
  readonly cut: (provider: string, cause?: unknown) => E;
  /** Creates the error for a missing or wrong setting. `message` says what to set. */
  readonly configuration: (message: string) => E;
}

/**
 * Returns functions that create the errors of a service, as instances of `errorClass`, the model provider's own class.
 *
 * @example
 * ```ts
 * import { ModelHttpError, serviceErrors } from "@jaf/model-http";
 *
 * export class MyError extends ModelHttpError {
 *   override readonly name = "MyError";
 * }
 * export const errors = serviceErrors(MyError);
 * ```
 */
export function serviceErrors<E extends ModelHttpError>(
  errorClass: new (reason: ModelHttpErrorReason, message: string, details: ModelHttpErrorDetails) => E,
): ServiceErrors<E> {
  return {
    ofStatus: async (response, { url, provider, hasKey }) => {
      const { status, headers } = response;
      const body = parseJson(await errorText(response));
      const error = errorIn(body) ?? body;
      const named = namesIn(error);
      const known = status === HIDDEN_REDIRECT ? undefined : status;
      const answer = `${provider} answered ${known ?? "with a redirect"}${inBrackets(named)}`;
      return new errorClass("status", `${answer}${remedyOf(status, url, hasKey)}`, {
        status: known,
        ...named,
        requestId: nameIn(headers.get("x-request-id") ?? headers.get("request-id")),
        retryAfterMs: retryAfterMsOf(headers, error),
        isRetryable:
          isRetryableStatus(status) && !FINAL_CODES.has(named.code) && !FINAL_CODES.has(named.type),
      });
    },
    reported: (error, provider) => {
      const named = namesIn(error);
      const number = Number(named.code);
      const status = number >= 400 && number < 600 ? number : undefined;
      const isFault = [named.code, named.type].some((name) => name !== undefined && REQUEST_FAULT.test(name));
      return new errorClass("reported", `${provider} reported an error${inBrackets(named)}`, {
        status,
        ...named,
        retryAfterMs: retryAfterMsOf(new Headers(), error),
        isRetryable:
          (status === undefined ? !isFault : isRetryableStatus(status)) &&
          !FINAL_CODES.has(named.code) &&
          !FINAL_CODES.has(named.type),
      });
    },
    malformed: (provider, what) =>
      new errorClass("malformed", `${provider} answered with ${what}`, { isRetryable: true }),
    cut: (provider, cause) =>
      new errorClass("cut", `the response of ${provider} ended early`, {
        code: "ECONNRESET",
        isRetryable: true,
        ...present({ cause }),
      }),
    configuration: (message) => new errorClass("configuration", message, { isRetryable: false }),
  };
}

/** The status that browsers report for a redirect, because they hide its real status. */
const HIDDEN_REDIRECT = 0;

function remedyOf(status: number, url: string, hasKey: boolean): string {
  if (status < 400) return `; ${shownOrigin(url)} redirects: set baseURL to the final address`;
  return status === 401 && !hasKey ? "; no key was sent: pass apiKey" : "";
}

/** Returns a short name (e.g. an error code) or a number as text, and `undefined` for any other value. */
const nameIn = (value: unknown): string | undefined =>
  // A longer text could quote the API key or the conversation.
  (typeof value === "string" && /^[\w.[\]-]{1,64}$/.test(value) && !/^(sk-|AIza)/.test(value)) ||
  typeof value === "number"
    ? String(value)
    : undefined;

/** Error codes of a used-up quota, after which a retry doesn't help. */
const FINAL_CODES: ReadonlySet<string | undefined> = new Set([
  "insufficient_quota",
  "billing_not_active",
  "billing_error",
]);

const isRetryableStatus = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

/**
 * Returns the value of the field `error` in a response's body, or `undefined` without this field. The value can be an
 * object or a text. If `body` is a list, as from Google's API, reads the field in its first item.
 */
export function errorIn(body: unknown): unknown {
  const first = Array.isArray(body) ? body[0] : body;
  return isObject(first) ? (first["error"] ?? undefined) : undefined;
}

interface Named {
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param: string | undefined;
}

function namesIn(error: unknown): Named {
  const { code, type, param, status }: Fields = fieldsOf(error);
  return { code: nameIn(code), type: nameIn(type) ?? nameIn(status), param: nameIn(param) };
}

/** Returns the error's code or type in brackets, e.g. ` (rate_limit_exceeded)`, or `""` if both are absent. */
const inBrackets = ({ code, type }: Named): string => {
  // Google's numeric code only repeats the status.
  const name = code === undefined || /^\d+$/.test(code) ? (type ?? code) : code;
  return name === undefined ? "" : ` (${name})`;
};

/** Matches codes and types of errors that the request itself caused, after which a retry doesn't help. */
const REQUEST_FAULT =
  /invalid|bad_?request|authenticat|precondition|permission|not_found|content_filter|context_length|too_large|unsupported|policy_violation|empty_image|image_(parse|too_small)/i;

/**
 * Returns how long to wait before a retry, in milliseconds, as the headers or `RetryInfo` in `error` say. Returns
 * `undefined` if both say nothing.
 */
export function retryAfterMsOf(headers: Headers, error: unknown, now = Date.now()): number | undefined {
  const milliseconds = headers.get("retry-after-ms")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Number(milliseconds);
  const after = headers.get("retry-after")?.trim() ?? "";
  return durationMs(after) ?? dateMs(after, now) ?? rateLimitResetMs(headers) ?? retryInfoMs(error);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Converts `"120ms"`, `"1.5s"`, `"6m0s"` or a number of seconds into milliseconds. Returns `undefined` for any other
 * text.
 */
function durationMs(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNIT_MS[unit] ?? 0);
  return sum;
}

function dateMs(text: string, now: number): number | undefined {
  // `Date.parse` accepts even "-5".
  const date = text.includes(":") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Returns the time until all used-up limits are reset, in ms. Returns `undefined` if no limit is used up. */
function rateLimitResetMs(headers: Headers): number | undefined {
  const resets = ["requests", "tokens"]
    .filter((kind) => headers.get(`x-ratelimit-remaining-${kind}`) === "0")
    .map((kind) => durationMs(headers.get(`x-ratelimit-reset-${kind}`) ?? ""))
    .filter((reset) => reset !== undefined);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** Returns the delay in the `RetryInfo` of Google's error, in ms, or `undefined` without such a delay. */
const retryInfoMs = (error: unknown): number | undefined =>
  listOf(fieldsOf(error)["details"])
    .map((detail) => fieldsOf(detail)["retryDelay"])
    .map((delay) => (typeof delay === "string" ? durationMs(delay) : undefined))
    .find((delay) => delay !== undefined);
