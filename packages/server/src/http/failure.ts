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
  /** How long the client should wait before a retry, in seconds. */
  readonly retryAfterSeconds?: number;
  /** The conversation of a turn that continues although the request failed. */
  readonly conversationId?: string | undefined;
  /** The turn that is running, or that continues although the request failed. */
  readonly turnId?: string | undefined;
  readonly cause?: unknown;
  /**
   * Whether the failure is expected despite its 5xx status, e.g. at shutdown. An expected failure isn't passed to the
   * server option `onError`.
   */
  readonly isExpected?: boolean;
  /** Whether the connection must close after the response, e.g. because a request body is still arriving. */
  readonly closesConnection?: boolean;
}

/**
 * A failure of a request, with the status and the error that the client gets. The message holds no conversation content
 * and names no other user.
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

  /** Returns a copy of the failure. After the copy is sent as response, the connection closes. */
  closingConnection(): HttpFailure {
    return new HttpFailure(this.code, this.message, { ...this.details, closesConnection: true });
  }
}

/** Creates the failure for a resource that doesn't exist or that belongs to another user. */
export const notFound = (): HttpFailure => new HttpFailure("not-found", "Not found.");

const STORE_PAUSE_SECONDS = 2;

/** Converts an error of a store into a failure for the client. */
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

/** Converts the refusal of a turn into a failure for the client. */
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
        ...{ retryable, retryAfterSeconds: STORE_PAUSE_SECONDS, isExpected: reason === "draining" },
        cause,
      });
  }
}

/** Converts any thrown value into a failure that reveals no internals to the client. */
export function failureOf(thrown: unknown): HttpFailure {
  if (thrown instanceof HttpFailure) return thrown;
  if (thrown instanceof UserFacingError) return new HttpFailure("forbidden", thrown.message);
  if (thrown instanceof TurnStoreError) return storeFailure(thrown.error);
  if (isUserMemoryError(thrown)) return userMemoryFailure(thrown);
  return new HttpFailure("internal", "Internal server error.", { cause: thrown });
}

/**
 * Checks whether a thrown value is a `UserMemoryError`, by its name. `instanceof` can't be used, because a server
 * without user memory doesn't load the package of this class.
 */
const isUserMemoryError = (thrown: unknown): thrown is UserMemoryError =>
  thrown instanceof Error && thrown.name === "UserMemoryError" && "code" in thrown && "retryable" in thrown;

/** Converts an error of user memory into a failure for the client. */
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
