import { type MemoryConflictReason, type MemoryErrorUnion, UNKNOWN_PROVIDER } from "../../contract/errors.ts";
import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";

export type Method = keyof VersionedMemoryProvider;

interface Shape {
  readonly expected: string;
  readonly accepts: (data: unknown) => boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTime = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());
const list: Shape = { expected: "an array", accepts: Array.isArray };
const object: Shape = { expected: "an object", accepts: isObject };
const nothing: Shape = { expected: "undefined", accepts: (data) => data === undefined };

const dataShapes: Readonly<Record<Method, Shape>> = {
  storeMessages: nothing,
  appendMessages: nothing,
  getConversation: {
    expected: "a conversation or null",
    accepts: (data) => data === null || isObject(data),
  },
  readConversation: {
    expected: "a reading: a conversation or null, an incarnation, a position and a time",
    accepts: (data) =>
      isObject(data) &&
      (data["conversation"] === null || isObject(data["conversation"])) &&
      isText(data["incarnation"]) &&
      Number.isSafeInteger(data["firstPosition"]) &&
      isTime(data["readAt"]),
  },
  exportConversation: {
    expected: "a record or null",
    accepts: (data) => data === null || isObject(data),
  },
  importConversation: nothing,
  verifyConversation: {
    expected: "a verdict or null",
    accepts: (data) => data === null || (isObject(data) && typeof data["intact"] === "boolean"),
  },
  findConversations: list,
  getRecentMessages: list,
  deleteConversation: { expected: "a boolean", accepts: (data) => typeof data === "boolean" },
  clearUserConversations: {
    expected: "a whole number",
    accepts: (data) => Number.isSafeInteger(data),
  },
  getStats: object,
  healthCheck: object,
  close: nothing,
};

export const methods = Object.keys(dataShapes) as readonly Method[];

/** The reasons of conflicts that a store may report. */
const conflictReasons: readonly unknown[] = [
  "version",
  "metadata-version",
  "incarnation",
  "idempotency-key",
  "owner",
  "message-id",
  "length",
] satisfies readonly MemoryConflictReason[];

/**
 * For each error type, a function that checks the fields that only this error type has. The function returns a text
 * that says what is wrong, or `undefined`.
 */
const errorShapes: Readonly<Record<MemoryErrorUnion["_tag"], (error: Fields) => string | undefined>> = {
  MemoryConnectionError: () => undefined,
  MemoryStorageError: () => undefined,
  MemoryNotFoundError: ({ conversationId }) =>
    isText(conversationId) ? undefined : "conversationId is not a string",
  MemoryConflictError: ({ reason }) =>
    conflictReasons.includes(reason) ? undefined : "reason is not one of a store",
  MemoryValidationError: ({ issues }) =>
    Array.isArray(issues) &&
    issues.length > 0 &&
    issues.every((issue) => isObject(issue) && isText(issue["expected"]))
      ? undefined
      : "issues doesn't say what was expected",
};

function errorFault(method: Method, error: unknown): string | undefined {
  if (!isObject(error)) return "a failure without an error";
  const { _tag: tag, message, provider, operation, retryable } = error;
  const shape = Object.entries(errorShapes).find(([name]) => name === tag)?.[1];
  if (shape === undefined) return `an error with the _tag ${String(tag)}`;
  if (!isText(message)) return `a ${String(tag)} without a message`;
  if (!isText(provider) || provider === UNKNOWN_PROVIDER)
    return `a ${String(tag)} that doesn't name its provider`;
  if (operation !== method) return `a ${String(tag)} with the operation ${String(operation)}`;
  if (typeof retryable !== "boolean") return `a ${String(tag)} that doesn't say whether it is retryable`;
  const fault = shape(error);
  return fault === undefined ? undefined : `a ${String(tag)} whose ${fault}`;
}

/** Returns a text that says what is wrong with the result of a method, or `undefined` if the result is correct. */
export function resultFault(method: Method, result: unknown): string | undefined {
  if (!isObject(result) || typeof result["success"] !== "boolean") {
    return `${result === null ? "null" : `a ${typeof result}`}, not a Result`;
  }
  if (!result["success"]) return errorFault(method, result["error"]);
  const { expected, accepts } = dataShapes[method];
  return accepts(result["data"]) ? undefined : `a success with data that is not ${expected}`;
}
