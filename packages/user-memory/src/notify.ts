import { callSafely } from "@jaf/memory/adapter";

/** Calls a callback of the application's. What it throws, or rejects with, is ignored. */
export const notify = <Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void =>
  callSafely(
    () => callback?.(...args),
    () => {},
  );
