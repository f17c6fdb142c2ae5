import { present } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isObject, listOf, parseJson } from "./fields.ts";

/**
 * - `"status"`: the service answered with an HTTP error
 * - `"reported"`: it answered 200, and an error in the body or in the stream
 * - `"malformed"`: what it answered is no reply
 * - `"cut"`: the answer ended before it was whole
 * - `"configuration"`: the request can't be made as things are set
 */
export type ModelHttpErrorReason = "status" | "reported" | "malformed" | "cut" | "configuration";

export interface ModelHttpErrorDetails {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  readonly param?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isRetryable: boolean;
  readonly cause?: unknown;
}

/**
 * A model call that failed. It holds neither the key nor anything of the conversation, and not the service's own words
 * either, since those may quote both: pass a `fetch` that logs to see them.
 */
export class ModelHttpError extends Error {
  override readonly name: string = "ModelHttpError";
  readonly reason: ModelHttpErrorReason;
  /** Of HTTP, or the one that the service reports in a 200. */
  readonly status: number | undefined;
  /** The service's, e.g. `"rate_limit_exceeded"`. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  /** The field of the request that it is about. */
  readonly param: string | undefined;
  /** What the service's support asks for. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may work later; the engine goes by it. */
  readonly isRetryable: boolean;
  /** Where the engine reads how long to wait. */
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

/** What each service names the same failures. */
export interface ServiceErrors<E extends ModelHttpError = ModelHttpError> {
  /** Of an answer that isn't 2xx. Reads the body. `hasKey`: whether the request named who asks. */
  readonly ofStatus: (
    response: Response,
    asked: { readonly provider: string; readonly hasKey: boolean },
  ) => Promise<E>;
  /** Of an error inside a 200. */
  readonly reported: (error: unknown, provider: string) => E;
  /** `what` it answered with, in our words. */
  readonly malformed: (provider: string, what: string) => E;
  readonly cut: (provider: string, cause?: unknown) => E;
  /** `message` says what to set. */
  readonly configuration: (message: string) => E;
}

export function serviceErrors<E extends ModelHttpError>(
  errorClass: new (reason: ModelHttpErrorReason, message: string, details: ModelHttpErrorDetails) => E,
): ServiceErrors<E> {
  return {
    ofStatus: async (response, { provider, hasKey }) => {
      const { status, headers } = response;
      const body = parseJson(await response.text().catch(() => ""));
      const error = errorIn(body) ?? body;
      const named = namesIn(error);
      const hint = status === 401 && !hasKey ? "; no key was sent: pass apiKey" : "";
      return new errorClass("status", `${provider} answered ${status}${inBrackets(named)}${hint}`, {
        status,
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
      new errorClass("cut", `the answer of ${provider} ended before it was whole`, {
        code: "ECONNRESET",
        isRetryable: true,
        ...present({ cause }),
      }),
    configuration: (message) => new errorClass("configuration", message, { isRetryable: false }),
  };
}

/** Names, and no sentences: those may quote the key or the conversation. */
const nameIn = (value: unknown): string | undefined =>
  (typeof value === "string" && /^[\w.[\]-]{1,64}$/.test(value) && !/^(sk-|AIza)/.test(value)) ||
  typeof value === "number"
    ? String(value)
    : undefined;

/** Out of quota: waiting doesn't help, and neither does asking again. */
const FINAL_CODES: ReadonlySet<string | undefined> = new Set([
  "insufficient_quota",
  "billing_not_active",
  "billing_error",
]);

const isRetryableStatus = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

/** What stands under `error`. Google wraps it in a list, Ollama has a text there. */
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

/** A name rather than a number: Google's `code` is the status once more. */
const inBrackets = ({ code, type }: Named): string => {
  const name = code === undefined || /^\d+$/.test(code) ? (type ?? code) : code;
  return name === undefined ? "" : ` (${name})`;
};

/** Whether a reported error without a status is the request's fault. */
const REQUEST_FAULT =
  /invalid|bad_?request|authentication|permission|not_found|content_filter|context_length|too_large|unsupported|policy_violation|empty_image|image_(parse|too_small)/i;

/**
 * How long the endpoint asks to wait, in milliseconds: `retry-after-ms`, `Retry-After` (seconds or a date), the limits of
 * `x-ratelimit-*` that are used up, or `RetryInfo` in `error`. `undefined`: it doesn't say.
 */
export function retryAfterMsOf(headers: Headers, error: unknown, now = Date.now()): number | undefined {
  const milliseconds = headers.get("retry-after-ms")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Number(milliseconds);
  const after = headers.get("retry-after")?.trim() ?? "";
  return durationMs(after) ?? dateMs(after, now) ?? rateLimitResetMs(headers) ?? retryInfoMs(error);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `"120ms"`, `"1.5s"`, `"6m0s"`; a bare number is seconds. `undefined` for anything else. */
function durationMs(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNIT_MS[unit] ?? 0);
  return sum;
}

function dateMs(text: string, now: number): number | undefined {
  // `Date.parse` makes a date of "-5" too.
  const date = text.includes(":") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Of those limits that are used up; the last one to be there again. */
function rateLimitResetMs(headers: Headers): number | undefined {
  const resets = ["requests", "tokens"]
    .filter((kind) => headers.get(`x-ratelimit-remaining-${kind}`) === "0")
    .map((kind) => durationMs(headers.get(`x-ratelimit-reset-${kind}`) ?? ""))
    .filter((reset) => reset !== undefined);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** Google's `RetryInfo`, in the body. */
const retryInfoMs = (error: unknown): number | undefined =>
  listOf(fieldsOf(error)["details"])
    .map((detail) => fieldsOf(detail)["retryDelay"])
    .map((delay) => (typeof delay === "string" ? durationMs(delay) : undefined))
    .find((delay) => delay !== undefined);
