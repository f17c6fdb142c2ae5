export interface ReconnectOptions {
  /** How many attempts in a row may fail before the client gives up. Default: 30, some minutes. */
  readonly maxAttempts?: number;
  /** The pause before the first attempt; it doubles with each. Default: 250. */
  readonly firstDelayMs?: number;
  /** The longest pause. Default: 8,000. */
  readonly maxDelayMs?: number;
}

/** The pause before attempt `attempt`, counted from 1, with up to a quarter less, so that many clients don't return at once. */
export function delayOf(
  attempt: number,
  { firstDelayMs = 250, maxDelayMs = 8_000 }: ReconnectOptions,
): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (1 - Math.random() / 4);
}

/** Waits, but no longer than until the browser is online again, or the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const target = globalThis as Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;
    const done = () => {
      clearTimeout(timer);
      target.removeEventListener?.("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    target.addEventListener?.("online", done);
    signal?.addEventListener("abort", done);
    if (signal?.aborted === true) done();
  });
}
