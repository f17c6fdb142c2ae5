export interface DeadlineOptions {
  /** From 0 to 2,147,483,647. */
  readonly timeoutMs: number;
  /** Makes the error to reject with. Default: an `Error` that names the time. */
  readonly timeoutError?: () => Error;
  /** Aborting it cancels the deadline: from then on only the promise itself decides. */
  readonly cancelledBy?: AbortSignal;
}

/**
 * The outcome of `promise`, or a rejection if it isn't settled in time. Only the waiting ends then: the work behind the
 * promise goes on.
 */
export async function withDeadline<T>(
  promise: PromiseLike<T>,
  { timeoutMs, timeoutError, cancelledBy }: DeadlineOptions,
): Promise<T> {
  let stop = () => {};
  const expired = new Promise<never>((_, reject) => {
    const expire = () => reject(timeoutError?.() ?? new Error(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(expire, timeoutMs);
    stop = () => clearTimeout(timer);
  });
  if (cancelledBy?.aborted === true) stop();
  cancelledBy?.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, expired]);
  } finally {
    stop();
    cancelledBy?.removeEventListener("abort", stop);
  }
}
