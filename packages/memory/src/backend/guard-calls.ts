import {
  createFailure,
  createMemoryConnectionError,
  createMemoryValidationError,
  createSuccess,
  type MemoryErrorUnion,
  type MemoryIssue,
  type Result,
  withProvider,
} from "../contract/errors.ts";
import { isPortableText } from "../contract/ids.ts";

/** An issue, or `undefined` if a value is valid. */
export type Issue = MemoryIssue | undefined;

interface GuardedStore {
  /** The store's name in errors (e.g. `"postgres"`). */
  readonly name: string;
  /** What the store is, for the error of a call after `close` (e.g. `"inbox"`). */
  readonly what: string;
  /** Converts an error that a method threw into a tagged error. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

interface CallGuard {
  /** Runs `method`, unless there are issues or the store is closed. Never rejects. */
  readonly call: <T>(
    operation: string,
    issues: readonly Issue[],
    method: () => Promise<T>,
  ) => Promise<Result<T>>;
  /** Runs `method` once. All later calls fail. */
  readonly close: (method: () => Promise<void>) => Promise<Result<void>>;
}

/** Makes a store's calls refuse invalid arguments, fail after `close`, and return what a method threw as an error. */
export function guardCalls({ name: provider, what, toMemoryError }: GuardedStore): CallGuard {
  let closing: Promise<Result<void>> | undefined;
  const call: CallGuard["call"] = async (operation, issues, method) => {
    const found = issues.filter((issue) => issue !== undefined);
    if (found.length > 0) return createFailure(createMemoryValidationError(found, { provider, operation }));
    if (closing !== undefined) {
      const hint = `this ${what} was closed; create a new one`;
      return createFailure(createMemoryConnectionError(provider, hint, { operation, retryable: false }));
    }
    try {
      return createSuccess(await method());
    } catch (thrown) {
      return createFailure(withProvider(toMemoryError(operation, thrown), provider));
    }
  };
  return {
    call,
    close: (method) => {
      closing ??= call("close", [], method);
      return closing;
    },
  };
}

export const limitIssue = (limit: number): Issue =>
  Number.isSafeInteger(limit) && limit >= 1
    ? undefined
    : { path: "limit", expected: "a whole number from 1" };

/** Returns an issue unless every store can keep the text. */
export const textIssue = (path: string, text: unknown): Issue =>
  typeof text === "string" && isPortableText(text)
    ? undefined
    : { path, expected: "a string without NUL and without unpaired surrogates" };

export const dateIssue = (path: string, date: unknown): Issue =>
  date instanceof Date && Number.isFinite(date.getTime()) && date.getTime() >= 0
    ? undefined
    : { path, expected: "a valid Date from 1970 on" };
