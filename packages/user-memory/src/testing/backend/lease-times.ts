import type { StoredJob, UserMemoryBackend } from "../../backend.ts";

/** The duration of a lease that is longer than any test, in milliseconds. */
export const HOUR_MS = 3_600_000;

const LOOK_MS = 5;
const GIVE_UP_MS = 20_000;

// The real timer, even if a later test installs fake timers.
const { setTimeout } = globalThis;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until the clock shows another time. */
export const nextInstant = (): Promise<void> => pause(3);

/**
 * Waits until jobs can be leased, and leases them. Returns the jobs, and how many milliseconds have passed since
 * `since` (a value of `performance.now()`).
 */
export async function waitForJobs({ jobs }: UserMemoryBackend, since: number) {
  // Without a limit, the wait would continue after the test if the backend leases no job.
  for (let looks = 0; looks * LOOK_MS < GIVE_UP_MS; looks++) {
    const leased: readonly StoredJob[] = await jobs.lease({ leaseMs: HOUR_MS, limit: 10 });
    if (leased.length > 0) return { leased, afterMs: performance.now() - since };
    await pause(LOOK_MS);
  }
  throw new Error(`no job was handed out within ${GIVE_UP_MS / 1_000} s`);
}
