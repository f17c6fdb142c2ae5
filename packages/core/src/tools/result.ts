import {
  isStructuredResult,
  present,
  rejectionIn,
  rejectionText,
  structuredResultIn,
} from "@jaf/memory/internal";

/** Whether a tool succeeded (`"success"`), or in which way it failed. */
export type ToolResultStatus = "success" | "error" | "validation_error" | "permission_denied" | "not_found";

/** The structured result of a tool. The model gets it as JSON. Create results with `ToolResponse`. */
// biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
export interface ToolResult<T = any> {
  readonly status: ToolResultStatus;
  /** The data of a result with status `"success"`. */
  readonly data?: T;
  /** The error of a result with another status than `"success"`. */
  readonly error?: ToolResultError;
  /** Further information about the execution. The model gets it, too. */
  readonly metadata?: ToolResultMetadata;
}

/** The error in a {@link ToolResult}, for the model. */
export interface ToolResultError {
  /** One of {@link ToolErrorCodes}, or a code of your own. */
  readonly code: string;
  /** A text for the model that says what went wrong. */
  readonly message: string;
  /** Further data about the error for the model, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly details?: any;
}

/** The metadata of a {@link ToolResult}. You can add your own fields. */
export interface ToolResultMetadata {
  /** How long the execution took, in milliseconds. */
  readonly executionTimeMs?: number;
  /** The name of the tool. */
  readonly toolName?: string;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/**
 * The error codes that the engine and `ToolResponse` use. Tools can use other codes, too.
 *
 * @example
 * ```ts
 * import { createTool, ToolErrorCodes, ToolResponse } from "@jaf/core";
 * import * as z from "zod";
 *
 * export const cancel = createTool({
 *   name: "cancel_order",
 *   description: "Cancels an order that wasn't shipped yet.",
 *   parameters: z.object({ id: z.string() }),
 *   execute: async () => ToolResponse.error(ToolErrorCodes.RESOURCE_UNAVAILABLE, "The warehouse is closed."),
 * });
 * ```
 */
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

/** One of {@link ToolErrorCodes}. */
export type ToolErrorCode = (typeof ToolErrorCodes)[keyof typeof ToolErrorCodes];

/**
 * Creates {@link ToolResult}s.
 *
 * @example
 * ```ts
 * import { createTool, ToolResponse } from "@jaf/core";
 * import * as z from "zod";
 *
 * declare const findOrder: (id: string) => Promise<{ state: string } | undefined>;
 *
 * export const orderState = createTool({
 *   name: "order_state",
 *   description: "The state of an order",
 *   parameters: z.object({ id: z.string() }),
 *   execute: async ({ id }) => {
 *     const order = await findOrder(id);
 *     return order === undefined ? ToolResponse.notFound("order", id) : ToolResponse.success(order);
 *   },
 * });
 * ```
 */
export const ToolResponse = {
  /** Returns a successful result. The model gets `data` as JSON. */
  success: <T>(data: T, metadata?: ToolResultMetadata): ToolResult<T> =>
    metadata === undefined ? { status: "success", data } : { status: "success", data, metadata },

  /**
   * Returns a result with status `"error"`. `code`: one of {@link ToolErrorCodes} or a code of your own. The model gets
   * `code`, `message` and `details`.
   */
  error: (
    code: ToolErrorCode | (string & {}),
    message: string,
    details?: unknown,
    metadata?: ToolResultMetadata,
  ): ToolResult<never> => failure("error", { code, message, details }, metadata),

  /** Returns a result with status `"validation_error"` and code `INVALID_INPUT`: the tool refuses its arguments. */
  validationError: (message: string, details?: unknown, metadata?: ToolResultMetadata): ToolResult<never> =>
    failure("validation_error", { code: ToolErrorCodes.INVALID_INPUT, message, details }, metadata),

  /** Returns a result with status `"permission_denied"`. The model gets `requiredPermissions` in the error's details. */
  permissionDenied: (
    message: string,
    requiredPermissions?: readonly string[],
    metadata?: ToolResultMetadata,
  ): ToolResult<never> => {
    const details = requiredPermissions === undefined ? undefined : { requiredPermissions };
    return failure(
      "permission_denied",
      { code: ToolErrorCodes.PERMISSION_DENIED, message, details },
      metadata,
    );
  },

  /**
   * Returns a result with status `"not_found"`. `resource`: the kind of thing that is missing (e.g. `"order"`).
   * `identifier`: its id.
   */
  notFound: (resource: string, identifier?: string, metadata?: ToolResultMetadata): ToolResult<never> => {
    const message =
      identifier === undefined ? `${resource} not found` : `${resource} not found: ${identifier}`;
    const details = identifier === undefined ? { resource } : { resource, identifier };
    return failure("not_found", { code: ToolErrorCodes.NOT_FOUND, message, details }, metadata);
  },
} as const;

function failure(
  status: ToolResultStatus,
  error: ToolResultError,
  metadata: ToolResultMetadata | undefined,
): ToolResult<never> {
  const { code, message, details } = error;
  return {
    status,
    error: details === undefined ? { code, message } : { code, message, details },
    ...present({ metadata }),
  };
}

/**
 * Returns whether a value is a {@link ToolResult}: a plain object with a known status.
 *
 * - With status `"success"`, an object with further fields (e.g. `{ status: "success", orders: [] }`) counts as data,
 *   not as a result.
 * - With any other status, further fields are allowed, so a failure is never taken for data.
 */
export const isToolResult = (value: unknown): value is ToolResult => isStructuredResult(value);

/**
 * Parses the text of a tool message as a {@link ToolResult}. Returns `undefined` if the text isn't one.
 *
 * @example
 * ```ts
 * import { readToolResult, rejectionOf, type ToolCallInfo } from "@jaf/core";
 *
 * declare const call: ToolCallInfo;
 *
 * for (const message of call.turn.messages) {
 *   if (message.role !== "tool") continue;
 *   const result = readToolResult(message.content);
 *   if (result !== undefined && rejectionOf(result) !== undefined) console.log("The user rejected a call.");
 * }
 * ```
 */
export const readToolResult = (text: string): ToolResult | undefined => structuredResultIn(text);

/**
 * Returns the result that the model gets for a call that the user has rejected.
 *
 * @example
 * ```ts
 * import { type Middleware, rejectedResult } from "@jaf/core";
 *
 * export const readOnly: Middleware<unknown> = {
 *   name: "read-only",
 *   wrapToolCall: ({ toolName }, next) =>
 *     toolName.startsWith("delete_") ? rejectedResult("nothing is deleted here") : next(),
 * };
 * ```
 */
export const rejectedResult = (reason: string | undefined): ToolResult =>
  ToolResponse.permissionDenied(rejectionText(reason));

/**
 * Returns whether and why the user rejected a call, from the call's result.
 *
 * - `{ reason }`: the user rejected the call and gave a reason.
 * - `{}`: the user rejected the call without a reason.
 * - `undefined`: the user didn't reject the call.
 *
 * @example
 * ```ts
 * import { readToolResult, rejectionOf } from "@jaf/core";
 * import type { Message } from "@jaf/memory";
 *
 * declare const message: Message;
 *
 * const result = message.role === "tool" ? readToolResult(message.content) : undefined;
 * const rejection = result && rejectionOf(result);
 * if (rejection !== undefined) console.log("Rejected:", rejection.reason ?? "no reason was given");
 * ```
 */
export const rejectionOf = (result: ToolResult): { readonly reason?: string } | undefined =>
  rejectionIn(result);
