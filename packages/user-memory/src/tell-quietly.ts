import { callSafely } from "@jaf/memory/adapter";

/** Calls what an application gave to be told something. What it throws, or rejects with, is nobody's failure. */
export const tellQuietly = <Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void =>
  callSafely(
    () => callback?.(...args),
    () => {},
  );
