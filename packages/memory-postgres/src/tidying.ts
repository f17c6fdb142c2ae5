import type { Bulk, Share } from "./bulk.ts";

const TIDY_EVERY = 10;

// So much takes a write some 20 ms.
const MOST: Share = { conversations: 20, messages: 2_000 };

/**
 * To be called by each write that names a time to live: some of them remove conversations that have expired. More is
 * removed than can come to expire meanwhile, so that they don't pile up where nobody purges them, and slow down the
 * listings that pass over them. Never rejects: the write is done.
 */
export function createTidying(bulk: Bulk): () => Promise<void> {
  let writes = Math.floor(Math.random() * TIDY_EVERY); // Also of many processes that each write little.
  let left = false;
  let busy = false;
  return async () => {
    writes += 1;
    if (busy || (!left && writes % TIDY_EVERY !== 0)) return;
    busy = true;
    try {
      left = await bulk.sweepSome("expired", MOST);
    } catch {
      left = false;
    } finally {
      busy = false;
    }
  };
}
