import { expect } from "vitest";
import type { StoredJob, UserMemoryBackend } from "../../../backend.ts";
import { hashOf, userKey } from "../facts.ts";
import { HOUR_MS, nextInstant } from "../lease-times.ts";
import type { BackendSpec } from "../spec.ts";

const COUNT = 60;
const LESSEES = 8;

const jobOf = (index: number) => ({
  user: userKey(`user ${index % 7}`),
  id: hashOf(`${index}`),
  body: `${index}`,
});

/** Adds jobs of several users whose leases are over at once. */
async function enqueueMany({ jobs }: UserMemoryBackend, count = COUNT): Promise<void> {
  for (let index = 0; index < count; index++) await jobs.enqueue(jobOf(index), { epoch: 0, leaseMs: 0 });
}

const numbers = (leased: readonly StoredJob[]): readonly number[] =>
  leased.map(({ body }) => Number(body)).sort((a, b) => a - b);

const all = Array.from({ length: COUNT }, (_, index) => index);

export const leases: BackendSpec = {
  subject: "leases",
  rules: {
    "return at most the limit, longest waiting first": async ({ backend: { jobs } }) => {
      for (let index = 0; index < 12; index++) {
        await jobs.enqueue(jobOf(index), { epoch: 0, leaseMs: 0 });
        await nextInstant();
      }
      const { user, id } = jobOf(0);
      await jobs.release(user, id, 0);
      await nextInstant();
      const lease = async (limit: number) => numbers(await jobs.lease({ leaseMs: HOUR_MS, limit }));
      expect(await lease(0)).toEqual([]);
      expect(await lease(4)).toEqual([1, 2, 3, 4]);
      expect(await lease(4)).toEqual([5, 6, 7, 8]);
      expect(await lease(100)).toEqual([0, 9, 10, 11]);
      expect(await jobs.size(), "what is handed out still counts").toBe(12);
    },

    "return only available jobs": async ({ backend: { jobs } }) => {
      for (const index of all.slice(0, 20)) {
        await jobs.enqueue(jobOf(index), { epoch: 0, leaseMs: index % 3 === 0 ? 0 : HOUR_MS });
      }
      const leased = numbers(await jobs.lease({ leaseMs: HOUR_MS, limit: 100 }));
      expect(leased).toEqual([0, 3, 6, 9, 12, 15, 18]);
    },

    "by 8 clients at the same time never return a job twice": async (scenario) => {
      const { backend } = scenario;
      await enqueueMany(backend);
      const clients = [backend, await scenario.another()];
      for (const round of [1, 2]) {
        const options = { leaseMs: HOUR_MS, limit: 3 };
        const work = async (client: UserMemoryBackend): Promise<readonly StoredJob[]> => {
          const mine: StoredJob[] = [];
          for (let empty = 0; empty < 3; ) {
            const leased = await client.jobs.lease(options);
            mine.push(...leased);
            empty = leased.length === 0 ? empty + 1 : 0;
          }
          return mine;
        };
        const leased = await Promise.all(
          Array.from({ length: LESSEES }, (_, index) => work(clients[index % 2] ?? backend)),
        );
        expect(numbers(leased.flat())).toEqual(all);
        expect([...new Set(leased.flat().map(({ attempts }) => attempts))]).toEqual([round + 1]);
        await Promise.all(all.map(jobOf).map(({ user, id }) => backend.jobs.release(user, id, 0)));
      }
    },

    "by several workers that complete them empty the queue": async (scenario) => {
      const { backend } = scenario;
      await enqueueMany(backend);
      const clients = [backend, await scenario.another()];
      const work = async (client: UserMemoryBackend): Promise<number> => {
        let done = 0;
        for (;;) {
          const leased = await client.jobs.lease({ leaseMs: HOUR_MS, limit: 4 });
          if (leased.length === 0) return done;
          for (const { user, id } of leased) await client.jobs.complete(user, id);
          done += leased.length;
        }
      };
      const done = await Promise.all(
        Array.from({ length: LESSEES }, (_, index) => work(clients[index % 2] ?? backend)),
      );
      const left = await backend.jobs.lease({ leaseMs: HOUR_MS, limit: 100 });
      for (const { user, id } of left) await backend.jobs.complete(user, id);
      expect(done.reduce((sum, count) => sum + count, left.length)).toBe(COUNT);
      expect(await backend.jobs.size()).toBe(0);
    },

    "accept one of 8 concurrent jobs with the same id": async (scenario) => {
      const clients = [scenario.backend, await scenario.another()];
      const user = userKey("u");
      const accepted = await Promise.all(
        Array.from({ length: LESSEES }, (_, index) =>
          (clients[index % 2] ?? scenario.backend).jobs.enqueue(
            { user, id: hashOf("turn"), body: `${index}` },
            { epoch: 0, leaseMs: 0 },
          ),
        ),
      );
      expect(accepted.filter(Boolean)).toHaveLength(1);
      const [leased] = await scenario.backend.jobs.lease({ leaseMs: HOUR_MS, limit: 9 });
      expect(leased?.body).toBe(`${accepted.indexOf(true)}`);
    },
  },
};
