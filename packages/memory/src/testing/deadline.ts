interface Deadline {
  readonly timeoutMs: number;
  /** What to reject with. */
  readonly late: () => Error;
  /** Ends the watch: from then on only the promise itself decides. */
  readonly signal?: AbortSignal;
}

/** The outcome of `promise`, or a rejection if it isn't settled in time. */
export async function within<T>(promise: PromiseLike<T>, { timeoutMs, late, signal }: Deadline): Promise<T> {
  let stop = () => {};
  const expired = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(late()), timeoutMs);
    stop = () => clearTimeout(timer);
  });
  signal?.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, expired]);
  } finally {
    stop();
    signal?.removeEventListener("abort", stop);
  }
}
