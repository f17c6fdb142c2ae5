import { expect } from "vitest";
import type { StoredJob } from "../../../backend.ts";
import { commitTo, hashOf, userKey } from "../facts.ts";
import { HOUR_MS, waitForJobs } from "../lease-times.ts";
import type { BackendSpec } from "../spec.ts";

const [ann, bob] = [userKey("ann"), userKey("bob")];

const job = (name: string, user = ann): Omit<StoredJob, "attempts"> => ({
  user,
  id: hashOf(name),
  body: `body of ${name}`,
});

const leasedFor = (leaseMs: number, epoch = 0) => ({ epoch, leaseMs });

const [forNow, forLong] = [
  { leaseMs: 0, limit: 9 },
  { leaseMs: HOUR_MS, limit: 9 },
];

/** The tolerance for the duration of a lease, in milliseconds. */
// A server may round the start and the end of the lease.
const ROUNDING_MS = 2;

const bodies = (leased: readonly StoredJob[]): readonly string[] => leased.map(({ body }) => body).sort();

export const jobs: BackendSpec = {
  subject: "jobs",
  rules: {
    "are leased again when their lease has expired, not before": async ({ backend }) => {
      const { jobs } = backend;
      for (const attempts of [2, 3]) {
        const since = performance.now();
        if (attempts === 2) expect(await jobs.enqueue(job("a"), leasedFor(120))).toBe(true);
        else await jobs.lease({ leaseMs: 120, limit: 9 });
        const { leased, afterMs } = await waitForJobs(backend, since);
        expect(leased).toEqual([{ ...job("a"), attempts: attempts === 2 ? 2 : 4 }]);
        expect(afterMs).toBeGreaterThanOrEqual(120 - ROUNDING_MS);
        await jobs.release(ann, hashOf("a"), 0);
      }
    },

    "are leased by the clock of the store, not of a process": async (scenario) => {
      const { backend } = scenario;
      const other = await scenario.another();
      expect(await backend.jobs.enqueue(job("long"), leasedFor(HOUR_MS))).toBe(true);
      expect(await backend.jobs.enqueue(job("short"), leasedFor(20))).toBe(true);
      const since = performance.now();
      expect(bodies((await waitForJobs(other, since)).leased)).toEqual(["body of short"]);
      await other.jobs.release(ann, hashOf("short"), 20);
      expect(bodies((await waitForJobs(backend, since)).leased)).toEqual(["body of short"]);
      expect(await other.jobs.lease(forLong)).toEqual([]);
    },

    "keep their text unchanged": async ({ backend: { jobs } }) => {
      const texts = ['{"b":1,  "a":1.0}', '"ü\\u0000\u2028👩‍👩‍👧"', "x".repeat(300_000)];
      for (const [index, body] of texts.entries()) {
        await jobs.enqueue({ ...job(`${index}`), body }, leasedFor(0));
      }
      expect(bodies(await jobs.lease(forLong))).toEqual([...texts].sort());
    },

    "are in the queue once": async ({ backend: { jobs } }) => {
      expect(await jobs.enqueue(job("a"), leasedFor(HOUR_MS))).toBe(true);
      expect(await jobs.enqueue({ ...job("a"), body: "other" }, leasedFor(0))).toBe(false);
      expect(await jobs.size()).toBe(1);
      expect(await jobs.lease(forNow)).toEqual([]);
      await jobs.release(ann, hashOf("a"), 0);
      expect(await jobs.lease(forLong)).toEqual([{ ...job("a"), attempts: 2 }]);
    },

    "with the same id are separate for two users": async ({ backend: { jobs } }) => {
      expect(await jobs.enqueue(job("a", ann), leasedFor(0))).toBe(true);
      expect(await jobs.enqueue(job("a", bob), leasedFor(0))).toBe(true);
      expect(await jobs.size()).toBe(2);
      await jobs.complete(ann, hashOf("a"));
      await jobs.release(ann, hashOf("a"), 0);
      expect(await jobs.lease(forLong)).toEqual([{ ...job("a", bob), attempts: 2 }]);
    },

    "are deleted when they are complete": async ({ backend: { jobs } }) => {
      await jobs.enqueue(job("a"), leasedFor(0));
      await jobs.enqueue(job("b"), leasedFor(0));
      await jobs.complete(ann, hashOf("a"));
      await jobs.complete(ann, hashOf("a"));
      await jobs.complete(bob, hashOf("b"));
      await jobs.release(ann, hashOf("a"), 0);
      await jobs.release(ann, hashOf("never there"), 0);
      expect(await jobs.size()).toBe(1);
      expect(bodies(await jobs.lease(forLong))).toEqual(["body of b"]);
      expect(await jobs.enqueue(job("a"), leasedFor(0)), "a job that is complete can come again").toBe(true);
    },

    "that are released wait for their delay, shorter or longer than their lease": async ({ backend }) => {
      const { jobs } = backend;
      await jobs.enqueue(job("sooner"), leasedFor(HOUR_MS));
      await jobs.enqueue(job("later"), leasedFor(0));
      const since = performance.now();
      await jobs.release(ann, hashOf("sooner"), 60);
      await jobs.release(ann, hashOf("later"), HOUR_MS);
      const { leased, afterMs } = await waitForJobs(backend, since);
      expect(bodies(leased)).toEqual(["body of sooner"]);
      expect(afterMs).toBeGreaterThanOrEqual(60 - ROUNDING_MS);
      expect(await jobs.lease(forNow)).toEqual([]);
      await jobs.release(ann, hashOf("later"), 0);
      expect(bodies(await jobs.lease(forNow))).toEqual(["body of later"]);
    },

    "are refused for another epoch than the user's, and nothing is written": async ({ backend }) => {
      const { jobs } = backend;
      expect(await jobs.enqueue(job("a"), leasedFor(0, 1))).toBe(false);
      await backend.erase(ann, { state: "", audit: [] });
      expect(await jobs.enqueue(job("a"), leasedFor(0, 0))).toBe(false);
      expect(await jobs.enqueue(job("a"), leasedFor(0, 2))).toBe(false);
      expect(await jobs.size()).toBe(0);
      expect(await jobs.enqueue(job("a"), leasedFor(0, 1))).toBe(true);
      await commitTo(backend, ann, {});
      expect(await jobs.enqueue(job("b"), leasedFor(0, 1)), "a commit leaves the epoch").toBe(true);
      expect(await jobs.enqueue(job("a", bob), leasedFor(0, 0)), "another user's epoch is another").toBe(
        true,
      );
    },

    "don't change a user's facts and version": async ({ backend }) => {
      const head = await commitTo(backend, ann, {});
      await backend.jobs.enqueue(job("a"), leasedFor(0));
      await backend.jobs.lease(forNow);
      await backend.jobs.complete(ann, hashOf("a"));
      expect((await backend.read(ann, {})).head).toEqual(head);
    },

    "have a flag for durability": async ({ backend }) => {
      expect(backend.jobs.durable).toBeTypeOf("boolean");
    },
  },
};
