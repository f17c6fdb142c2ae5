import type { LeasedJob } from "../queue/queue.ts";

/** A lease that is kept while its job waits for its turn. */
export interface HeldLease {
  /** Ends the waiting. Resolves with whether the job is still the caller's, then for nearly a whole lease. */
  readonly take: () => Promise<boolean>;
}

/** Of a lease, so much may be gone before it is renewed. */
const RENEWED_AFTER = 1 / 3;
const GONE_AT_START = 1 / 10;

/** Renews a lease that has just begun, until it is taken: waiting is no attempt, so nobody else is to be handed the job. */
export function holdLease(leased: Pick<LeasedJob, "release">, leaseMs: number): HeldLease {
  let since = performance.now();
  let renewal: Promise<void> | undefined;
  // From then on somebody else may have it.
  const isOver = (): boolean => performance.now() - since >= leaseMs;
  const renew = async (): Promise<void> => {
    if (isOver()) return;
    const now = performance.now();
    // A job that is released for later is handed to nobody before.
    await leased.release(leaseMs);
    since = now;
  };
  const timer = setInterval(
    () => {
      renewal ??= renew()
        .catch(() => undefined)
        .finally(() => {
          renewal = undefined;
        });
    },
    Math.ceil(leaseMs * RENEWED_AFTER),
  );
  timer.unref();
  return {
    take: async () => {
      clearInterval(timer);
      await renewal;
      if (performance.now() - since > leaseMs * GONE_AT_START) await renew();
      return !isOver();
    },
  };
}
