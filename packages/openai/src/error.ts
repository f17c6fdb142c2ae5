import { type Fields, fieldsOf, isObject, listOf, parseJson } from "./json.ts";
import { retryAfterMsOf } from "./retry-after.ts";

/**
 * - `"status"`: the endpoint answered with an HTTP error
 * - `"reported"`: it answered 200, and an error in the body or in the stream
 * - `"malformed"`: what it answered is no completion
 * - `"cut"`: the answer ended before it was whole
 * - `"configuration"`: the request can't be made as things are set
 */
export type OpenAIErrorReason = "status" | "reported" | "malformed" | "cut" | "configuration";

interface ErrorDetails {
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
 * A model call that failed. It holds neither the key nor anything of the conversation, and not the endpoint's own words
 * either, since those may quote both: pass a `fetch` that logs to see them.
 */
export class OpenAIError extends Error {
  override readonly name = "OpenAIError";
  readonly reason: OpenAIErrorReason;
  /** Of HTTP, or the one that the endpoint reports in a 200. */
  readonly status: number | undefined;
  /** The endpoint's, e.g. `"rate_limit_exceeded"`. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  /** The field of the request that it is about. */
  readonly param: string | undefined;
  /** What the endpoint's support asks for. */
  readonly requestId: string | undefined;
  /** How long the endpoint asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may work later; the engine goes by it. */
  readonly isRetryable: boolean;
  /** Where the engine reads how long to wait. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: OpenAIErrorReason, message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
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

/** Names, and no sentences: those may quote the key or the conversation. */
const nameIn = (value: unknown): string | undefined =>
  (typeof value === "string" && /^[\w.[\]-]{1,64}$/.test(value) && !/^sk-/.test(value)) ||
  typeof value === "number"
    ? String(value)
    : undefined;

/** Out of quota: waiting doesn't help, and neither does asking again. */
const FINAL_CODES: ReadonlySet<string | undefined> = new Set(["insufficient_quota", "billing_not_active"]);

const isRetryableStatus = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

/** What stands under `error`. Gemini's compatible endpoint wraps it in a list, Ollama has a text there. */
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

const inBrackets = ({ code, type }: Named): string => {
  const name = code ?? type;
  return name === undefined ? "" : ` (${name})`;
};

interface Asked {
  readonly provider: string;
  /** Whether the request named who asks. */
  readonly hasKey: boolean;
}

/** Of an answer that isn't 2xx. Reads the body. */
export async function statusError(response: Response, { provider, hasKey }: Asked): Promise<OpenAIError> {
  const { status, headers } = response;
  const body = parseJson(await response.text().catch(() => ""));
  const error = errorIn(body) ?? body;
  const named = namesIn(error);
  const hint = status === 401 && !hasKey ? "; no key was sent: pass apiKey" : "";
  return new OpenAIError("status", `${provider} answered ${status}${inBrackets(named)}${hint}`, {
    status,
    ...named,
    requestId: nameIn(headers.get("x-request-id")),
    retryAfterMs: retryAfterMsOf(headers, error),
    isRetryable: isRetryableStatus(status) && !FINAL_CODES.has(named.code) && !FINAL_CODES.has(named.type),
  });
}

/** Whether a reported error without a status is the request's fault. */
const REQUEST_FAULT =
  /invalid|bad_?request|authentication|permission|not_found|content_filter|context_length/i;

/** Of an error inside a 200. */
export function reportedError(error: unknown, provider: string): OpenAIError {
  const named = namesIn(error);
  const number = Number(named.code);
  const status = number >= 400 && number < 600 ? number : undefined;
  const isFault = [named.code, named.type].some((name) => name !== undefined && REQUEST_FAULT.test(name));
  return new OpenAIError("reported", `${provider} reported an error${inBrackets(named)}`, {
    status,
    ...named,
    retryAfterMs: retryAfterMsOf(new Headers(), error),
    isRetryable:
      (status === undefined ? !isFault : isRetryableStatus(status)) && !FINAL_CODES.has(named.code),
  });
}

/** `what` it is, in our words. */
export const malformedError = (provider: string, what: string): OpenAIError =>
  new OpenAIError("malformed", `${provider} answered with ${what}`, { isRetryable: true });

export const cutError = (provider: string, cause?: unknown): OpenAIError =>
  new OpenAIError("cut", `the answer of ${provider} ended before it was whole`, {
    code: "ECONNRESET",
    isRetryable: true,
    ...(cause === undefined ? {} : { cause }),
  });

/** Also a reply that holds one in its first choice, as OpenRouter's do. */
export const choiceError = (body: unknown): unknown =>
  errorIn(body) ?? fieldsOf(listOf(fieldsOf(body)["choices"])[0])["error"];
