import { ToolErrorCodes, ToolResponse, type ToolResult } from "@jaf/core";
import {
  InsufficientScopeError,
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { quoted } from "../results/text.ts";

/** Why a request to a server failed. */
export type FailureKind =
  /** Nothing reached the server. */
  | "unreachable"
  /** The connection was lost while the request was under way. */
  | "lost"
  | "timeout"
  /** The user must log in, or may not do this. */
  | "unauthorized"
  /** The server answered with an error of the protocol. */
  | "refused"
  /** The server's answer breaks the protocol or a limit. */
  | "invalid";

export interface Failure {
  readonly kind: FailureKind;
  /** The server's own words. They are untrusted. */
  readonly said?: string;
  /** Whether only another connection can help. Default `false`. */
  readonly isConnectionGone?: boolean;
}

/** Thrown where a connection fails, so that the reason is known without the client's own errors. */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
  readonly failure: Failure;
  constructor(failure: Failure, cause?: unknown) {
    super(MESSAGES[failure.kind], { cause });
    this.failure = failure;
  }
}

const MESSAGES: Readonly<Record<FailureKind, string>> = {
  unreachable: "The server can't be reached, and nothing was done. Try again later.",
  lost: "The connection to the server was lost during the call, which may have been carried out. Find out before you make it again.",
  timeout:
    "The server didn't answer in time. The call may have been carried out. Find out before you make it again.",
  unauthorized: "The server asks for a login or for more rights. The user must log in first.",
  refused: "The server refused the call.",
  invalid: "The server's answer can't be used. The call may have been carried out.",
};

const NOT_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "EACCES",
]);

/** Statuses of servers that know no such session, e.g. after a restart. */
const NO_SESSION: ReadonlySet<number> = new Set([400, 404]);
/** Statuses of a server or a proxy that has done nothing: too many requests, not available. */
const NOTHING_DONE: ReadonlySet<number> = new Set([429, 503]);

/** Tells why a request failed, from what the client of the protocol threw. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof McpFailure) return thrown.failure;
  if (isUnauthorized(thrown)) return { kind: "unauthorized" };
  if (thrown instanceof SdkHttpError) return ofStatus(thrown.status);
  if (thrown instanceof SdkError) return ofCode(thrown.code);
  if (thrown instanceof ProtocolError) return { kind: "refused", said: thrown.message };
  const codes = [codeOf(thrown), codeOf(thrown instanceof Error ? thrown.cause : undefined)];
  if (codes.some((code) => NOT_SENT.has(code))) return { kind: "unreachable" };
  // What `fetch` throws for a broken connection.
  return { kind: thrown instanceof TypeError ? "lost" : "invalid" };
}

const isUnauthorized = (thrown: unknown): boolean =>
  thrown instanceof UnauthorizedError ||
  thrown instanceof InsufficientScopeError ||
  thrown instanceof OAuthError ||
  thrown instanceof OAuthClientFlowError ||
  (thrown instanceof SdkHttpError && (thrown.status === 401 || thrown.status === 403));

function ofStatus(status: number): Failure {
  if (NO_SESSION.has(status)) return { kind: "unreachable", isConnectionGone: true };
  return { kind: NOTHING_DONE.has(status) ? "unreachable" : "lost" };
}

function ofCode(code: SdkErrorCode): Failure {
  switch (code) {
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
    case SdkErrorCode.EraNegotiationFailed:
      return { kind: "unreachable", isConnectionGone: true };
    case SdkErrorCode.ConnectionClosed:
      return { kind: "lost", isConnectionGone: true };
    case SdkErrorCode.RequestTimeout:
      return { kind: "timeout" };
    default:
      return { kind: "invalid" };
  }
}

const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;

const CODES = {
  unreachable: ToolErrorCodes.RESOURCE_UNAVAILABLE,
  lost: ToolErrorCodes.EXTERNAL_SERVICE_ERROR,
  timeout: ToolErrorCodes.TIMEOUT,
  unauthorized: ToolErrorCodes.PERMISSION_DENIED,
  refused: ToolErrorCodes.EXECUTION_FAILED,
  invalid: ToolErrorCodes.EXTERNAL_SERVICE_ERROR,
} as const;

/** The result of a failed call for the model. `details.retryable`: whether the same call may be made again. */
export const failedResult = ({ kind, said }: Failure): ToolResult =>
  ToolResponse.error(CODES[kind], said === undefined ? MESSAGES[kind] : `${MESSAGES[kind]} ${quoted(said)}`, {
    retryable: kind === "unreachable",
  });
