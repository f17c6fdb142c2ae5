/** Calls what an application gave to be told something. What it throws, or rejects with, is nobody's failure. */
export function notify<Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    void Promise.resolve(callback?.(...args)).catch(() => undefined);
  } catch {
    // It was told.
  }
}
