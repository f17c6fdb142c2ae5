import type { StoredJob, UserMemoryBackend } from "../../backend.ts";

/** Longer than any test: who leases for so long has the job until the end of it. */
export const HOUR_MS = 3_600_000;

const LOOK_MS = 5;
const GIVE_UP_MS = 20_000;

// The real one, also where a test that comes later puts false timers in its place.
const { setTimeout } = globalThis;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** So that what comes next has another time, also on a busy machine. */
export const nextInstant = (): Promise<void> => pause(3);

/** The first jobs that are handed out, and how long that took, by this process's monotonic clock. */
export async function waitForJobs({ jobs }: UserMemoryBackend, since: number) {
  // A wait without an end would go on behind the test of a backend that hands out none.
  for (let looks = 0; looks * LOOK_MS < GIVE_UP_MS; looks++) {
    const leased: readonly StoredJob[] = await jobs.lease({ leaseMs: HOUR_MS, limit: 10 });
    if (leased.length > 0) return { leased, afterMs: performance.now() - since };
    await pause(LOOK_MS);
  }
  throw new Error(`no job was handed out within ${GIVE_UP_MS / 1_000} s`);
}
