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
  /** How long the client should wait. */
  readonly retryAfterSeconds?: number;
  /** Of a turn that goes on elsewhere. */
  readonly conversationId?: string | undefined;
  /** Which turn is in the way, or goes on elsewhere. */
  readonly turnId?: string | undefined;
  readonly cause?: unknown;
  /** The server does as it was told, also with a status of 500 or more: nobody has to look into it. */
  readonly isExpected?: boolean;
  /** The connection can't be used again, e.g. since a body is still on its way. */
  readonly closesConnection?: boolean;
}

/** Why a request isn't answered as it asked. The message is for the client: it holds no content and names no other user. */
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

  /** The same, and the connection ends with the answer. */
  closingConnection(): HttpFailure {
    return new HttpFailure(this.code, this.message, { ...this.details, closesConnection: true });
  }
}

/** The same for what doesn't exist and for what is somebody else's. */
export const notFound = (): HttpFailure => new HttpFailure("not-found", "There is no such thing.");

const STORE_PAUSE_SECONDS = 2;

/** What a store's error is to a client. */
export function storeFailure(error: MemoryErrorUnion): HttpFailure {
  switch (error._tag) {
    case "MemoryNotFoundError":
      return notFound();
    case "MemoryConflictError":
      return new HttpFailure("changed", "The conversation has changed meanwhile. Read it again.");
    case "MemoryValidationError":
      return new HttpFailure("invalid-request", error.message);
    case "MemoryConnectionError":
    case "MemoryStorageError":
      return new HttpFailure("unavailable", "The store can't be used at the moment.", {
        retryAfterSeconds: STORE_PAUSE_SECONDS,
        cause: error,
      });
  }
}

export function unwrap<T>(result: Result<T>): T {
  if (result.success) return result.data;
  throw storeFailure(result.error);
}

/** What a turn that didn't begin is to a client. */
export function refusalFailure({ reason, message, retryable, turnId }: TurnRefusal): HttpFailure {
  switch (reason) {
    case "not-found":
      return notFound();
    case "running":
      return new HttpFailure("running", message, { turnId });
    case "changed":
      return new HttpFailure("changed", message, { retryable });
    case "invalid":
      return new HttpFailure("invalid-request", message);
    case "draining":
    case "store":
      return new HttpFailure("unavailable", message, {
        ...{ retryable, retryAfterSeconds: STORE_PAUSE_SECONDS, isExpected: reason === "draining" },
      });
  }
}

/** What was thrown, as a failure that tells a client no more than it may know. */
export function failureOf(thrown: unknown): HttpFailure {
  if (thrown instanceof HttpFailure) return thrown;
  if (thrown instanceof TurnStoreError) return storeFailure(thrown.error);
  if (isUserMemoryError(thrown)) return userMemoryFailure(thrown);
  return new HttpFailure("internal", "Something failed in the server.", { cause: thrown });
}

/** By its name: the package isn't loaded where there are no facts. */
const isUserMemoryError = (thrown: unknown): thrown is UserMemoryError =>
  thrown instanceof Error && thrown.name === "UserMemoryError" && "code" in thrown && "retryable" in thrown;

/** What a store of facts rejected with, as a failure. */
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
      return new HttpFailure("unavailable", "The facts can't be used at the moment.", {
        retryable,
        cause: error,
      });
  }
}
