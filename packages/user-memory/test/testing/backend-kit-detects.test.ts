import { describe, expect, test } from "vitest";
import type { JobBackend, UserMemoryBackend } from "../../src/backend.ts";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import type { BackendCheck } from "../../src/testing/backend/spec.ts";
import { backendSpecs } from "../../src/testing/backend/specs/index.ts";

const HOUR_MS = 3_600_000;
const LATE_MS = 2_000;

const rules = new Map<string, BackendCheck>(
  backendSpecs().flatMap(({ subject, rules: checks }) =>
    Object.entries(checks).map(([title, check]) => [`${subject}: ${title}`, check] as const),
  ),
);

interface Clients {
  readonly backend: UserMemoryBackend;
  readonly another?: UserMemoryBackend;
}

/** Checks one rule. Rejects if the rule is broken or takes too long. */
async function apply(name: string, { backend, another = backend }: Clients): Promise<void> {
  const check = rules.get(name) ?? expect.fail(`no rule "${name}"`);
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("the rule wasn't proven in time")), LATE_MS).unref();
  });
  await Promise.race([check({ backend, another: async () => another }), late]);
}

/** Simulates a process with a clock that is ahead and that passes end times instead of durations. */
const aheadBy = (backend: UserMemoryBackend, aheadMs: number): UserMemoryBackend => {
  const { jobs } = backend;
  return {
    ...backend,
    jobs: {
      ...jobs,
      enqueue: (job, { epoch, leaseMs }) => jobs.enqueue(job, { epoch, leaseMs: leaseMs + aheadMs }),
      release: (user, id, delayMs) => jobs.release(user, id, delayMs + aheadMs),
    },
  };
};

const withJobs = (change: (jobs: JobBackend) => Partial<JobBackend>): Clients => {
  const backend = createInMemoryUserMemoryBackend();
  return { backend: { ...backend, jobs: { ...backend.jobs, ...change(backend.jobs) } } };
};

const byStoresClock = "jobs: are leased by the clock of the store, not of a process";
const afterLease = "jobs: are leased again when their lease has expired, not before";

const wrong: Readonly<Record<string, readonly [caughtBy: string, open: () => Clients]>> = {
  "leases by the clock of a process that is ahead": [
    byStoresClock,
    () => {
      const backend = createInMemoryUserMemoryBackend();
      return { backend: aheadBy(backend, HOUR_MS), another: backend };
    },
  ],
  "leases by the clock of another process that is behind": [
    byStoresClock,
    () => {
      const backend = createInMemoryUserMemoryBackend();
      return { backend: aheadBy(backend, -2 * HOUR_MS), another: backend };
    },
  ],
  "takes milliseconds for seconds": [
    afterLease,
    () =>
      withJobs((jobs) => ({
        enqueue: (job, { epoch, leaseMs }) => jobs.enqueue(job, { epoch, leaseMs: leaseMs * 1_000 }),
      })),
  ],
  "hands out what is leased": [
    afterLease,
    () => withJobs((jobs) => ({ enqueue: (job, { epoch }) => jobs.enqueue(job, { epoch, leaseMs: 0 }) })),
  ],
  "takes the delay of a release for a time": [
    "jobs: that are released wait for their delay, shorter or longer than their lease",
    () =>
      withJobs((jobs) => ({ release: (user, id, delayMs) => jobs.release(user, id, delayMs - Date.now()) })),
  ],
};

describe("the backend kit detects a backend that", () => {
  test.concurrent.each(Object.entries(wrong))("%s", async (_, [caughtBy, open]) => {
    await apply(caughtBy, { backend: createInMemoryUserMemoryBackend() });
    await expect(apply(caughtBy, open())).rejects.toThrow();
  });
});
