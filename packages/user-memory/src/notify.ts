/** Calls a callback of the application's. What it throws, or rejects with, is ignored. */
export function notify<Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    void Promise.resolve(callback?.(...args)).catch(() => undefined);
  } catch {
    // The application's own failure.
  }
}
