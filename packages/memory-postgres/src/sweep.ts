const SWEEP_EVERY = 10;

/**
 * To be called by each write that leaves something which will expire: some of them call `sweepSome`, which removes some
 * of what has expired and tells whether there may be more. More is removed than can come to expire meanwhile, so that it
 * doesn't pile up where nobody purges it. Never rejects: the write is done.
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
