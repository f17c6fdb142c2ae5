const SWEEP_EVERY = 10;

/**
 * Call it after each write that stores something which will expire: every tenth call runs `sweepSome`, which removes some
 * expired rows and returns whether there may be more. It removes more than can expire meanwhile, so that expired rows don't
 * accumulate without a purge. Never rejects: the write is done.
 */
export function createSweep(sweepSome: () => Promise<boolean>): () => Promise<void> {
  let writes = Math.floor(Math.random() * SWEEP_EVERY); // Also of many processes that each write little.
  let left = false;
  let busy = false;
  return async () => {
    writes += 1;
    if (busy || (!left && writes % SWEEP_EVERY !== 0)) return;
    busy = true;
    try {
      left = await sweepSome();
    } catch {
      left = false;
    } finally {
      busy = false;
    }
  };
}
