import { backoffDelayMs } from "@jaf/memory/internal";

/**
 * When a failed model call is retried, and after which delay. The delay is random, and its maximum doubles with each
 * attempt (exponential backoff with full jitter). A `Retry-After` header of the model provider sets the delay. If it
 * asks for more than `maxDelayMs`, the call isn't retried, and the error contains the delay.
 */
export interface ModelRetryPolicy {
  /** The maximum number of attempts, including the first. `1`: no retry. Default 3. */
  readonly maxAttempts?: number;
  /** The maximum of the first delay, in milliseconds. This maximum doubles with each attempt. Default 500. */
  readonly baseDelayMs?: number;
  /** The maximum of every delay, in milliseconds. Default 30,000. */
  readonly maxDelayMs?: number;
  /**
   * Returns whether an error of a model call is transient, so the call is retried. Not called for an unusable reply,
   * which is retried if another reply might be usable.
   *
   * Default: the error's own boolean field `isRetryable`. Without this field, network errors, timeouts, and the
   * statuses 408, 409, 429 and 5xx are transient.
   */
  readonly isRetryable?: (error: unknown) => boolean;
}

export interface FailedAttempt {
  /** The number of the failed attempt, from 1. */
  readonly attempt: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
}

/** Returns the delay before the next attempt, in milliseconds; `undefined` if the call must not be retried. */
export function retryDelayMs(
  policy: ModelRetryPolicy | undefined,
  failed: FailedAttempt,
): number | undefined {
  const { maxAttempts = 3, baseDelayMs = 500, maxDelayMs = 30_000 } = policy ?? {};
  const { attempt, retryable, retryAfterMs } = failed;
  if (!retryable || !(attempt < maxAttempts)) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs <= maxDelayMs ? retryAfterMs : undefined;
  return backoffDelayMs(attempt, { baseDelayMs, maxDelayMs });
}

/** Returns whether an error is retryable: by the policy's `isRetryable`, or else by {@link isTransient}. */
export function isRetryableFailure(policy: ModelRetryPolicy | undefined, thrown: unknown): boolean {
  try {
    // `isRetryable` is called on the policy, because the policy can be an instance of a class.
    return policy?.isRetryable === undefined ? isTransient(thrown) : policy.isRetryable(thrown);
  } catch {
    return false;
  }
}

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 409, 429]);

const NETWORK_CODES: ReadonlySet<unknown> = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

// SDKs (clients of model providers) subclass Error without setting `name`, so both `name` and the class name are compared.
const NETWORK_NAMES =
  /^(APIConnection(Timeout)?Error|ConnectTimeoutError|FetchError|SocketError|TimeoutError)$/;

const MAX_CAUSES = 5;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? (value as Fields) : undefined;

/** Returns the HTTP status of an SDK's error; `undefined` if it has none. */
export function statusOf(thrown: unknown): number | undefined {
  const error = fieldsOf(thrown);
  const candidates = [error?.["status"], error?.["statusCode"], fieldsOf(error?.["response"])?.["status"]];
  return candidates.find((status): status is number => typeof status === "number");
}

/**
 * Returns whether an error is transient: a network error, a timeout, a rate limit or a server error. The error's own
 * boolean field `isRetryable` decides if it exists.
 */
export function isTransient(thrown: unknown): boolean {
  const said = fieldsOf(thrown)?.["isRetryable"];
  if (typeof said === "boolean") return said;
  const status = statusOf(thrown);
  if (status !== undefined) return RETRYABLE_STATUSES.has(status) || status >= 500;
  return isNetworkError(thrown, 0);
}

function isNetworkError(thrown: unknown, depth: number): boolean {
  if (!(thrown instanceof Error) || depth > MAX_CAUSES) return false;
  if ("code" in thrown && NETWORK_CODES.has(thrown.code)) return true;
  if (NETWORK_NAMES.test(thrown.name) || NETWORK_NAMES.test(thrown.constructor.name)) return true;
  if (thrown instanceof TypeError && thrown.message === "fetch failed") return true;
  return isNetworkError(thrown.cause, depth + 1);
}

/** Returns the value of a header, from a `Headers` object or a plain object; `""` if the header is absent. */
function headerOf(headers: unknown, name: string): string {
  const fields = fieldsOf(headers);
  const get = fields?.["get"];
  const value: unknown =
    typeof get === "function"
      ? get.call(headers, name)
      : Object.entries(fields ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/**
 * Converts a text like `"2"` or `"1.5"` into a number; `undefined` for any other text and for a number too large for a
 * delay.
 */
function amountOf(text: string): number | undefined {
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return amount <= Number.MAX_SAFE_INTEGER ? amount : undefined;
}

/** Returns the delay that the model provider asks for in a header, in milliseconds; `undefined` if it asks for none. */
export function retryAfterMsOf(thrown: unknown): number | undefined {
  const error = fieldsOf(thrown);
  const headers =
    error?.["headers"] ?? error?.["responseHeaders"] ?? fieldsOf(error?.["response"])?.["headers"];
  const milliseconds = amountOf(headerOf(headers, "retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const after = headerOf(headers, "retry-after");
  const seconds = amountOf(after);
  if (seconds !== undefined) return seconds * 1_000;
  // Only texts with a colon can be dates: `Date.parse` would parse "-5" as a date, too.
  const date = after.includes(":") ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
