import { present } from "@jaf/memory/internal";

export type ToolResultStatus = "success" | "error" | "validation_error" | "permission_denied" | "not_found";

/** The structured result of a tool. The model gets it as JSON. Create one with `ToolResponse`. */
// biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
export interface ToolResult<T = any> {
  readonly status: ToolResultStatus;
  readonly data?: T;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
    readonly details?: any;
  };
  readonly metadata?: {
    readonly executionTimeMs?: number;
    readonly toolName?: string;
    // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
    readonly [key: string]: any;
  };
}

/** The error codes of the engine and of `ToolResponse`. Tools can use their own codes. */
export const ToolErrorCodes = {
  INVALID_INPUT: "INVALID_INPUT",
  MISSING_REQUIRED_FIELD: "MISSING_REQUIRED_FIELD",
  INVALID_FORMAT: "INVALID_FORMAT",
  PERMISSION_DENIED: "PERMISSION_DENIED",
  INSUFFICIENT_PERMISSIONS: "INSUFFICIENT_PERMISSIONS",
  NOT_FOUND: "NOT_FOUND",
  TOOL_NOT_FOUND: "TOOL_NOT_FOUND",
  RESOURCE_UNAVAILABLE: "RESOURCE_UNAVAILABLE",
  EXECUTION_FAILED: "EXECUTION_FAILED",
  TIMEOUT: "TIMEOUT",
  EXTERNAL_SERVICE_ERROR: "EXTERNAL_SERVICE_ERROR",
  UNKNOWN_ERROR: "UNKNOWN_ERROR",
} as const;

export type ToolErrorCode = (typeof ToolErrorCodes)[keyof typeof ToolErrorCodes];

/** Creates {@link ToolResult}s. */
export const ToolResponse = {
  success: <T>(data: T, metadata?: Metadata): ToolResult<T> =>
    metadata === undefined ? { status: "success", data } : { status: "success", data, metadata },

  /** `code`: one of {@link ToolErrorCodes} or your own. The model gets `message` and `details`. */
  error: (
    code: ToolErrorCode | (string & {}),
    message: string,
    details?: unknown,
    metadata?: Metadata,
  ): ToolResult<never> => failure("error", { code, message, details }, metadata),

  validationError: (message: string, details?: unknown, metadata?: Metadata): ToolResult<never> =>
    failure("validation_error", { code: ToolErrorCodes.INVALID_INPUT, message, details }, metadata),

  permissionDenied: (
    message: string,
    requiredPermissions?: readonly string[],
    metadata?: Metadata,
  ): ToolResult<never> => {
    const details = requiredPermissions === undefined ? undefined : { requiredPermissions };
    return failure(
      "permission_denied",
      { code: ToolErrorCodes.PERMISSION_DENIED, message, details },
      metadata,
    );
  },

  notFound: (resource: string, identifier?: string, metadata?: Metadata): ToolResult<never> => {
    const message =
      identifier === undefined ? `${resource} not found` : `${resource} not found: ${identifier}`;
    const details = identifier === undefined ? { resource } : { resource, identifier };
    return failure("not_found", { code: ToolErrorCodes.NOT_FOUND, message, details }, metadata);
  },
} as const;

function failure(
  status: ToolResultStatus,
  error: NonNullable<ToolResult["error"]>,
  metadata: Metadata | undefined,
): ToolResult<never> {
  const { code, message, details } = error;
  return {
    status,
    error: details === undefined ? { code, message } : { code, message, details },
    ...present({ metadata }),
  };
}

type Metadata = NonNullable<ToolResult["metadata"]>;

const STATUSES: ReadonlySet<unknown> = new Set<ToolResultStatus>([
  "success",
  "error",
  "validation_error",
  "permission_denied",
  "not_found",
]);
const FIELDS: ReadonlySet<string> = new Set(["status", "data", "error", "metadata"]);

/**
 * Returns whether the value is a plain object with a known status. A `"success"` with fields that a {@link ToolResult} doesn't
 * have is data that happens to have a status. A failure with such fields is still a failure, so failures aren't hidden.
 */
export function isToolResult(value: unknown): value is ToolResult {
  if (!isPlainObject(value) || !("status" in value) || !STATUSES.has(value.status)) return false;
  return value.status !== "success" || Object.keys(value).every((key) => FIELDS.has(key));
}

/** Also accepts objects of another realm, which have a different `Object.prototype`. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Parses the text of a tool message as a `ToolResult`. Returns `undefined` for any other text. */
export function readToolResult(text: string): ToolResult | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isToolResult(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const REJECTED = "The call was not approved";

/** Returns the result that the model gets for a rejected call. */
export const rejectedResult = (reason: string | undefined): ToolResult =>
  ToolResponse.permissionDenied(reason === undefined ? `${REJECTED}.` : `${REJECTED}: ${reason}`);

/** Returns the reason if the result is that of a rejected call; `undefined` for any other result. */
export function rejectionOf({ status, error }: ToolResult): { readonly reason?: string } | undefined {
  if (status !== "permission_denied" || error === undefined) return undefined;
  const { message } = error;
  if (message === `${REJECTED}.`) return {};
  return message.startsWith(`${REJECTED}: `) ? { reason: message.slice(REJECTED.length + 2) } : undefined;
}
