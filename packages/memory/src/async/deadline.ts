export interface DeadlineOptions {
  /** From 0 to 2,147,483,647. */
  readonly timeoutMs: number;
  /** What to reject with. Default: an `Error` that names the time. */
  readonly late?: () => Error;
  /** Aborting it lifts the deadline: from then on only the promise itself decides. */
  readonly liftedBy?: AbortSignal;
}

/**
 * The outcome of `promise`, or a rejection if it isn't settled in time. What it was the outcome of goes on: a deadline
 * ends the waiting alone.
 */
export async function withDeadline<T>(
  promise: PromiseLike<T>,
  { timeoutMs, late, liftedBy }: DeadlineOptions,
): Promise<T> {
  let stop = () => {};
  const expired = new Promise<never>((_, reject) => {
    const expire = () => reject(late?.() ?? new Error(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(expire, timeoutMs);
    stop = () => clearTimeout(timer);
  });
  if (liftedBy?.aborted === true) stop();
  liftedBy?.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, expired]);
  } finally {
    stop();
    liftedBy?.removeEventListener("abort", stop);
  }
}
