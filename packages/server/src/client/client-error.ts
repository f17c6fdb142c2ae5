export interface JafClientErrorDetails {
  /**
   * The `code` of the server's answer, e.g. `"not-found"`. Of the client's own: `"connection"` (no answer came, or it was cut
   * off), `"aborted"` (by the caller's signal), `"malformed"` (the answer isn't what a JAF server sends).
   */
  readonly code: string;
  /** The HTTP status; `0` if there was no answer. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Names the request in the server's logs. */
  readonly requestId?: string | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The conversation that the failure is about, where the server names one. */
  readonly conversationId?: string | undefined;
  /** The turn that the failure is about, e.g. of `"running"` the one that runs. */
  readonly turnId?: string | undefined;
}

/** Why a request failed. Every method of the client rejects with it, and with nothing else. */
export class JafClientError extends Error implements JafClientErrorDetails {
  override readonly name = "JafClientError";
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly conversationId: string | undefined;
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

export const isJafClientError = (thrown: unknown): thrown is JafClientError =>
  thrown instanceof JafClientError;

/** What answered is no JAF server, or something on the way changed the answer. */
export const malformedError = (what: "answer" | "stream", status = 200): JafClientError =>
  new JafClientError(`The ${what} isn't one of a JAF server.`, {
    code: "malformed",
    status,
    retryable: false,
  });

/** What a connection that broke, or that the caller gave up, is as an error. */
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
  401: "Not authenticated.",
  403: "Not allowed.",
  404: "There is no such thing.",
  413: "The request is too large.",
  429: "Too many requests.",
  503: "The server is not available.",
};

/** The error that an answer with a bad status tells, also where a proxy sent it and it has no JSON. */
export async function errorOf(response: Response): Promise<JafClientError> {
  const { status } = response;
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

async function errorIn(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body = (await response.json()) as { readonly error?: unknown } | null;
    const error = body?.error;
    return typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  } catch {
    return {}; // No JSON, or cut off: the status says enough.
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Seconds, or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
