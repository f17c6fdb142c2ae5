import { setImmediate } from "node:timers/promises";

/** How long work may hold the event loop, well below what anybody else would notice. */
const SLICE_MS = 8;

/** Called between small pieces of long work: lets everything else have a turn once this work has had its share. */
export type YieldIfDue = () => Promise<void> | undefined;

export function createYielding(): YieldIfDue {
  let start = performance.now();
  return () => {
    if (performance.now() - start < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      start = performance.now();
    });
  };
}
