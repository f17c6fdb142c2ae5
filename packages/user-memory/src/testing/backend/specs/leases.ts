import { expect } from "vitest";
import type { StoredJob, UserMemoryBackend } from "../../../backend/backend.ts";
import { hashOf, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const COUNT = 60;
const LESSEES = 8;

/** Jobs of several users, ready one after the other: the `index`th at `index`. */
async function enqueueMany({ jobs }: UserMemoryBackend): Promise<void> {
  for (let index = 0; index < COUNT; index++) {
    const user = userKey(`user ${index % 7}`);
    await jobs.enqueue({ user, id: hashOf(`${index}`), body: `${index}` }, { epoch: 0, leasedUntil: index });
  }
}

const numbers = (leased: readonly StoredJob[]): readonly number[] =>
  leased.map(({ body }) => Number(body)).sort((a, b) => a - b);

const all = Array.from({ length: COUNT }, (_, index) => index);

export const leases: BackendSpec = {
  subject: "leases",
  rules: {
    "hand out no more than asked for, those first that have waited longest": async ({ backend }) => {
      await enqueueMany(backend);
      const later = { now: COUNT, leasedUntil: 1_000 };
      expect(await backend.jobs.lease({ ...later, limit: 0 })).toEqual([]);
      expect(numbers(await backend.jobs.lease({ ...later, limit: 5 }))).toEqual([0, 1, 2, 3, 4]);
      expect(numbers(await backend.jobs.lease({ ...later, limit: 5 }))).toEqual([5, 6, 7, 8, 9]);
      expect(numbers(await backend.jobs.lease({ ...later, limit: 100 }))).toEqual(all.slice(10));
      expect(await backend.jobs.size(), "what is handed out still counts").toBe(COUNT);
    },

    "hand out only what is ready": async ({ backend }) => {
      await enqueueMany(backend);
      const leased = await backend.jobs.lease({ now: 20, leasedUntil: 1_000, limit: 100 });
      expect(numbers(leased)).toEqual(all.slice(0, 21));
    },

    "to 8 at once never give one job to two": async (scenario) => {
      const { backend } = scenario;
      await enqueueMany(backend);
      const clients = [backend, await scenario.another()];
      for (const round of [1, 2]) {
        const options = { now: round * 1_000, leasedUntil: round * 1_000 + 500, limit: 3 };
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
        expect(leased.flat().every(({ attempts }) => attempts === round + 1)).toBe(true);
      }
    },

    "to several that complete them empty the queue": async (scenario) => {
      const { backend } = scenario;
      await enqueueMany(backend);
      const clients = [backend, await scenario.another()];
      const work = async (client: UserMemoryBackend): Promise<number> => {
        let done = 0;
        for (;;) {
          const leased = await client.jobs.lease({ now: COUNT, leasedUntil: 1_000, limit: 4 });
          if (leased.length === 0) return done;
          for (const { user, id } of leased) await client.jobs.complete(user, id);
          done += leased.length;
        }
      };
      const done = await Promise.all(
        Array.from({ length: LESSEES }, (_, index) => work(clients[index % 2] ?? backend)),
      );
      const left = await backend.jobs.lease({ now: COUNT, leasedUntil: 1_000, limit: 100 });
      for (const { user, id } of left) await backend.jobs.complete(user, id);
      expect(done.reduce((sum, count) => sum + count, left.length)).toBe(COUNT);
      expect(await backend.jobs.size()).toBe(0);
    },

    "of one id that 8 enqueue at once accept one": async (scenario) => {
      const clients = [scenario.backend, await scenario.another()];
      const user = userKey("u");
      const accepted = await Promise.all(
        Array.from({ length: LESSEES }, (_, index) =>
          (clients[index % 2] ?? scenario.backend).jobs.enqueue(
            { user, id: hashOf("turn"), body: `${index}` },
            { epoch: 0, leasedUntil: 1 },
          ),
        ),
      );
      expect(accepted.filter(Boolean)).toHaveLength(1);
      const [leased] = await scenario.backend.jobs.lease({ now: 1, leasedUntil: 2, limit: 9 });
      expect(leased?.body).toBe(`${accepted.indexOf(true)}`);
    },
  },
};
