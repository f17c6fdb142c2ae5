/** The fields of a {@link JafClientError}. */
export interface JafClientErrorDetails {
  /**
   * What went wrong. This is the `code` in the server's response, e.g. `"not-found"`, or one of the client's own codes:
   *
   * - `"connection"`: the server didn't respond, or the connection was lost.
   * - `"aborted"`: your signal was aborted.
   * - `"redirect"`: the server redirects to another address. The client doesn't follow, because your `headers` may hold
   *   a token.
   * - `"malformed"`: the response isn't from a JAF server.
   * - `"http-502"` (and other statuses): the response has an error status and no `code`.
   */
  readonly code: string;
  /** The HTTP status of the response; `0` if the server didn't respond. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /**
   * The id of the failed request. If the server reports the error to its option `onError`, it passes this id. Absent if
   * no JAF server responded.
   */
  readonly requestId?: string | undefined;
  /**
   * How long the server asks clients to wait before a retry, in ms. Absent: the response has no `Retry-After` header.
   */
  readonly retryAfterMs?: number | undefined;
  /** The conversation of a turn that continues although the request failed. Absent for other errors. */
  readonly conversationId?: string | undefined;
  /**
   * With the code `"running"`: the turn that is in progress. With other codes: a turn that continues although the
   * request failed. Absent if there is no such turn.
   */
  readonly turnId?: string | undefined;
}

/**
 * The only kind of error that the client's methods reject with.
 *
 * @example
 * ```ts
 * import { createJafClient, JafClientError } from "@jaf/server/client";
 *
 * const client = createJafClient({ baseUrl: "http://127.0.0.1:3000" });
 * try {
 *   for await (const { event } of client.chat({ message: "Hi" })) console.log(event.type);
 * } catch (error) {
 *   if (!(error instanceof JafClientError)) throw error;
 *   console.error(error.code, error.retryable ? "Try again." : error.message);
 * }
 * ```
 */
export class JafClientError extends Error implements JafClientErrorDetails {
  override readonly name = "JafClientError";
  /** What went wrong, e.g. `"not-found"`; see {@link JafClientErrorDetails}. */
  readonly code: string;
  /** The HTTP status of the response; `0` if the server didn't respond. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /**
   * The id of the failed request. If the server reports the error to its option `onError`, it passes this id. Absent if
   * no JAF server responded.
   */
  readonly requestId: string | undefined;
  /**
   * How long the server asks clients to wait before a retry, in ms. Absent: the response has no `Retry-After` header.
   */
  readonly retryAfterMs: number | undefined;
  /** The conversation of a turn that continues although the request failed. Absent for other errors. */
  readonly conversationId: string | undefined;
  /**
   * With the code `"running"`: the turn that is in progress. With other codes: a turn that continues although the
   * request failed. Absent if there is no such turn.
   */
  readonly turnId: string | undefined;

  constructor(message: string, details: JafClientErrorDetails, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = details.code;
    this.status = details.status;
    this.retryable = details.retryable;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.conversationId = details.conversationId;
    this.turnId = details.turnId;
  }
}

/**
 * Checks whether a value is a {@link JafClientError}.
 *
 * @example
 * ```ts
 * import { createJafClient, isJafClientError } from "@jaf/server/client";
 *
 * const client = createJafClient({ baseUrl: "" });
 * try {
 *   await client.conversations.rename("conversation-1", "Travel plans");
 * } catch (thrown) {
 *   if (!isJafClientError(thrown)) throw thrown;
 *   console.error(thrown.code, thrown.retryable); // e.g. "not-found" false
 * }
 * ```
 */
export const isJafClientError = (thrown: unknown): thrown is JafClientError =>
  thrown instanceof JafClientError;

/** Creates the error for a response that isn't from a JAF server, or that a proxy changed. */
export const malformedError = (what: "answer" | "stream", status = 200): JafClientError =>
  new JafClientError(`The ${what} isn't from a JAF server. Check baseUrl and proxies.`, {
    code: "malformed",
    status,
    retryable: false,
  });

/** Converts the value that a failed or aborted request threw into a {@link JafClientError}. */
export function connectionError(cause: unknown, signal: AbortSignal | undefined): JafClientError {
  if (cause instanceof JafClientError) return cause;
  if (signal?.reason instanceof JafClientError) return signal.reason;
  if (signal?.aborted === true)
    return new JafClientError(
      "The request was aborted.",
      { code: "aborted", status: 0, retryable: false },
      { cause },
    );
  const details = { code: "connection", status: 0, retryable: true };
  return new JafClientError("The server could not be reached, or the connection was lost.", details, {
    cause,
  });
}

const FAILED: Readonly<Record<number, string>> = {
  401: "Authentication required.",
  403: "Not allowed.",
  404: "Not found.",
  413: "The request is too large.",
  429: "Too many requests.",
  503: "The server is unavailable. Retry later.",
};

/** Creates the error for a response with an error status. */
export async function errorOf(response: Response): Promise<JafClientError> {
  const { status } = response;
  // A browser hides the status of a redirect and reports 0.
  if (status < 400) return redirectError(status);
  // The response may come from a proxy and have no JSON body.
  const error = await errorIn(response);
  const message = error["message"];
  const code = error["code"];
  const retryable = error["retryable"];
  return new JafClientError(
    typeof message === "string" ? message : (FAILED[status] ?? `The server answered with status ${status}.`),
    {
      code: typeof code === "string" ? code : `http-${status}`,
      status,
      retryable:
        typeof retryable === "boolean" ? retryable : status === 429 || status === 408 || status >= 500,
      requestId: textOf(error["requestId"]),
      retryAfterMs: retryAfterMs(response.headers.get("retry-after")),
      conversationId: textOf(error["conversationId"]),
      turnId: textOf(error["turnId"]),
    },
  );
}

const redirectError = (status: number): JafClientError =>
  new JafClientError("The server redirects. Set baseUrl to the address that it redirects to.", {
    ...{ code: "redirect", status, retryable: false },
  });

async function errorIn(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body = (await response.json()) as { readonly error?: unknown } | null;
    const error = body?.error;
    return typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  } catch {
    return {}; // No JSON, or incomplete. The status is enough.
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Converts a `Retry-After` header (seconds or a date) into a duration in ms. Returns `undefined` if the header is
 * absent or invalid.
 */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
