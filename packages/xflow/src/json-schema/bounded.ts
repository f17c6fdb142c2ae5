import { createContext, runInContext } from "node:vm";

export type Bounded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/**
 * What a synchronous function returns, unless it takes longer: then it is ended, a regular expression in the middle of a match,
 * too. What it throws is thrown.
 */
export function bounded<T>(compute: () => T, timeMs: number): Bounded<T> {
  try {
    const value = runInContext("compute()", createContext({ compute }), { timeout: timeMs }) as T;
    return { ok: true, value };
  } catch (thrown) {
    if (isTimeout(thrown)) return { ok: false };
    throw thrown;
  }
}

/** The error is one of the other context, whose `Error` isn't ours. */
const isTimeout = (thrown: unknown): boolean =>
  typeof thrown === "object" &&
  thrown !== null &&
  "code" in thrown &&
  thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
