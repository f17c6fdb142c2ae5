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

// SDKs subclass Error without setting `name`, so both the name and the class count.
const NETWORK_NAMES =
  /^(APIConnection(Timeout)?Error|ConnectTimeoutError|FetchError|SocketError|TimeoutError)$/;

const MAX_CAUSES = 5;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? (value as Fields) : undefined;

/** The HTTP status that an SDK's error carries, whatever the SDK calls it. */
export function statusOf(thrown: unknown): number | undefined {
  const error = fieldsOf(thrown);
  const candidates = [error?.["status"], error?.["statusCode"], fieldsOf(error?.["response"])?.["status"]];
  return candidates.find((status): status is number => typeof status === "number");
}

/**
 * Whether an error is transient: a network error, a timeout, a rate limit, a server error. A boolean `isRetryable` of the error, as
 * the AI SDK's errors have, takes precedence: an account without credit gets a 429, too.
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

/** Of `Headers` or of a plain object, whose names may be written in any case. */
function headerOf(headers: unknown, name: string): string {
  const fields = fieldsOf(headers);
  const get = fields?.["get"];
  const value: unknown =
    typeof get === "function"
      ? get.call(headers, name)
      : Object.entries(fields ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** A number from 0; `undefined` for everything else, also for one that is too large to be waited for. */
function amountOf(text: string): number | undefined {
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return amount <= Number.MAX_SAFE_INTEGER ? amount : undefined;
}

/**
 * How long the provider asks to wait, in milliseconds, by `retry-after-ms` or `Retry-After` (seconds or a date).
 * `undefined`: it doesn't ask, or not in a way that can be understood.
 */
export function retryAfterMsOf(thrown: unknown): number | undefined {
  const error = fieldsOf(thrown);
  const headers =
    error?.["headers"] ?? error?.["responseHeaders"] ?? fieldsOf(error?.["response"])?.["headers"];
  const milliseconds = amountOf(headerOf(headers, "retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const after = headerOf(headers, "retry-after");
  const seconds = amountOf(after);
  if (seconds !== undefined) return seconds * 1_000;
  // `Date.parse` makes a date of "-5" too.
  const date = after.includes(":") ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
