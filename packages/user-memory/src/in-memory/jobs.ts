import type { JobBackend, StoredJob, UserKey } from "../backend.ts";

interface WaitingJob extends StoredJob {
  /** When the job is available again, by `performance.now()`. */
  // Not by the system clock, because it can be changed while jobs wait.
  readonly readyAt: number;
}

export interface Jobs {
  readonly backend: JobBackend;
  /** Deletes a user's jobs and returns their number. */
  readonly drop: (user: UserKey) => number;
  readonly clear: () => void;
  /** Returns all jobs, whether they are leased or not. */
  readonly waiting: () => readonly StoredJob[];
}

export function createJobs(epochOf: (user: UserKey) => number): Jobs {
  const waiting = new Map<string, WaitingJob>();
  const nameOf = ({ hash }: UserKey, id: string): string => `${hash}:${id}`;
  const backend: JobBackend = {
    durable: false,
    enqueue: async (job, { epoch, leaseMs }) => {
      const name = nameOf(job.user, job.id);
      if (waiting.has(name) || epochOf(job.user) !== epoch) return false;
      waiting.set(name, { ...job, attempts: 1, readyAt: performance.now() + leaseMs });
      return true;
    },
    lease: async ({ leaseMs, limit }) => {
      const now = performance.now();
      const ready = [...waiting.values()].filter(({ readyAt }) => readyAt <= now);
      const leased = ready.sort((a, b) => a.readyAt - b.readyAt).slice(0, limit);
      return leased.map((job) => {
        const attempts = job.attempts + 1;
        waiting.set(nameOf(job.user, job.id), { ...job, attempts, readyAt: now + leaseMs });
        return { user: job.user, id: job.id, body: job.body, attempts };
      });
    },
    complete: async (user, id) => void waiting.delete(nameOf(user, id)),
    release: async (user, id, delayMs) => {
      const job = waiting.get(nameOf(user, id));
      if (job !== undefined) waiting.set(nameOf(user, id), { ...job, readyAt: performance.now() + delayMs });
    },
    size: async () => waiting.size,
  };
  return {
    backend,
    drop: (user) => {
      const names = [...waiting].filter(([, job]) => job.user.hash === user.hash).map(([name]) => name);
      for (const name of names) waiting.delete(name);
      return names.length;
    },
    clear: () => waiting.clear(),
    waiting: () => [...waiting.values()],
  };
}
