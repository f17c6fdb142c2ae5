import { UserFacingError } from "@jaf/core";
import type { MemoryErrorUnion, Result } from "@jaf/memory";
import type { UserMemoryError } from "@jaf/user-memory";
import { TurnStoreError } from "../turns/turn-errors.ts";
import type { TurnRefusal } from "../turns/turn-service.ts";

export type FailureCode =
  | "invalid-request"
  | "not-authenticated"
  | "forbidden"
  | "not-found"
  | "not-configured"
  | "running"
  | "changed"
  | "timeout"
  | "too-large"
  | "not-json"
  | "too-many-requests"
  | "unavailable"
  | "internal";

export const FAILURE_STATUS = {
  "invalid-request": 400,
  "not-authenticated": 401,
  forbidden: 403,
  "not-found": 404,
  "not-configured": 404,
  running: 409,
  changed: 409,
  timeout: 408,
  "too-large": 413,
  "not-json": 415,
  "too-many-requests": 429,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<FailureCode, number>;

export type FailureStatus = (typeof FAILURE_STATUS)[FailureCode];

const MAY_PASS: ReadonlySet<FailureCode> = new Set([
  "running",
  "timeout",
  "too-many-requests",
  "unavailable",
]);

interface FailureDetails {
  readonly retryable?: boolean;
  /** How long the client should wait before a retry, in seconds. Absent: the response gives no time. */
  readonly retryAfterSeconds?: number;
  /** The conversation of a turn that continues although the request failed. Absent: no turn continues. */
  readonly conversationId?: string | undefined;
  /** The turn that is running, or that continues although the request failed. Absent: no such turn is known. */
  readonly turnId?: string | undefined;
  readonly cause?: unknown;
  /**
   * Whether a failure with a 5xx status is expected, e.g. at shutdown, and not reported to `onError`. Default `false`.
   */
  readonly isExpected?: boolean;
  /**
   * Whether the connection closes after the response, e.g. because a request body is still arriving. Default `false`.
   */
  readonly closesConnection?: boolean;
}

/**
 * A failure of a request, as the client gets it. `message` must hold no conversation content and name no other user.
 */
export class HttpFailure extends Error {
  override readonly name = "HttpFailure";
  readonly status: FailureStatus;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly conversationId: string | undefined;
  readonly turnId: string | undefined;
  readonly closesConnection: boolean;
  readonly isExpected: boolean;

  constructor(
    readonly code: FailureCode,
    message: string,
    private readonly details: FailureDetails = {},
  ) {
    super(message, { cause: details.cause });
    const { retryable = MAY_PASS.has(code), retryAfterSeconds, conversationId, turnId } = details;
    this.status = FAILURE_STATUS[code];
    this.retryable = retryable;
    this.retryAfterSeconds = retryAfterSeconds;
    this.conversationId = conversationId;
    this.turnId = turnId;
    this.closesConnection = details.closesConnection ?? false;
    this.isExpected = details.isExpected ?? false;
  }

  /** Returns a copy of the failure with `closesConnection: true`. */
  closingConnection(): HttpFailure {
    return new HttpFailure(this.code, this.message, { ...this.details, closesConnection: true });
  }
}

/** Creates the failure for a resource that doesn't exist or that belongs to another user. */
export const notFound = (): HttpFailure => new HttpFailure("not-found", "Not found.");

const STORE_PAUSE_SECONDS = 2;

/** Converts an error of the conversation store or of the turn log into an `HttpFailure`. */
export function storeFailure(error: MemoryErrorUnion): HttpFailure {
  switch (error._tag) {
    case "MemoryNotFoundError":
      return notFound();
    case "MemoryConflictError":
      return new HttpFailure("changed", "The conversation has changed. Load it again.");
    case "MemoryValidationError":
      return new HttpFailure("invalid-request", error.message);
    case "MemoryConnectionError":
    case "MemoryStorageError":
      return new HttpFailure("unavailable", "The store is unavailable. Retry later.", {
        retryAfterSeconds: STORE_PAUSE_SECONDS,
        cause: error,
      });
  }
}

export function unwrap<T>(result: Result<T>): T {
  if (result.success) return result.data;
  throw storeFailure(result.error);
}

/** Converts the refusal of a turn into an `HttpFailure`. */
export function refusalFailure({ reason, message, retryable, turnId, cause }: TurnRefusal): HttpFailure {
  switch (reason) {
    case "not-found":
      return notFound();
    case "running":
      return new HttpFailure("running", message, { turnId });
    case "changed":
      return new HttpFailure("changed", message, { retryable });
    case "invalid":
      return new HttpFailure("invalid-request", message);
    case "forbidden":
      return new HttpFailure("forbidden", message);
    case "draining":
    case "store":
      return new HttpFailure("unavailable", message, {
        ...{ retryable, retryAfterSeconds: STORE_PAUSE_SECONDS, cause },
        // Without a cause, the turn service has reported the error, or is draining.
        isExpected: cause === undefined,
      });
  }
}

/** Converts any thrown value into an `HttpFailure` that reveals no internals of the server. */
export function failureOf(thrown: unknown): HttpFailure {
  if (thrown instanceof HttpFailure) return thrown;
  if (thrown instanceof UserFacingError) return new HttpFailure("forbidden", thrown.message);
  if (thrown instanceof TurnStoreError) return storeFailure(thrown.error);
  if (isUserMemoryError(thrown)) return userMemoryFailure(thrown);
  return new HttpFailure("internal", "Internal server error.", { cause: thrown });
}

/** Checks by its name whether a thrown value is a `UserMemoryError`. */
const isUserMemoryError = (thrown: unknown): thrown is UserMemoryError =>
  // A server without user memory doesn't load the package of this class, so `instanceof` can't be used.
  thrown instanceof Error && thrown.name === "UserMemoryError" && "code" in thrown && "retryable" in thrown;

/** Converts an error of user memory into an `HttpFailure`. */
function userMemoryFailure(error: UserMemoryError): HttpFailure {
  const { code, message, retryable } = error;
  switch (code) {
    case "invalid":
      return new HttpFailure("invalid-request", message);
    case "erased":
    case "forgotten":
    case "full":
      return new HttpFailure("changed", message, { retryable });
    case "busy":
    case "unavailable":
    case "storage":
    case "embedding":
      return new HttpFailure("unavailable", "The store of facts is unavailable.", {
        retryable,
        cause: error,
      });
  }
}
