import { expect } from "vitest";
import type { StoredJob } from "../../../backend/backend.ts";
import { commitTo, hashOf, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const [ann, bob] = [userKey("ann"), userKey("bob")];

const job = (name: string, user = ann): Omit<StoredJob, "attempts"> => ({
  user,
  id: hashOf(name),
  body: `body of ${name}`,
});

const at = (leasedUntil: number, epoch = 0) => ({ epoch, leasedUntil });

const bodies = (leased: readonly StoredJob[]): readonly string[] => leased.map(({ body }) => body).sort();

export const jobs: BackendSpec = {
  subject: "jobs",
  rules: {
    "are handed out when their lease is over, and not before": async ({ backend: { jobs } }) => {
      expect(await jobs.enqueue(job("a"), at(1_000))).toBe(true);
      expect(await jobs.lease({ now: 999, leasedUntil: 2_000, limit: 10 })).toEqual([]);
      const leased = await jobs.lease({ now: 1_000, leasedUntil: 2_000, limit: 10 });
      expect(leased).toEqual([{ ...job("a"), attempts: 2 }]);
      expect(await jobs.lease({ now: 1_999, leasedUntil: 9_000, limit: 10 })).toEqual([]);
      const again = await jobs.lease({ now: 2_001, leasedUntil: 9_000, limit: 10 });
      expect(again).toEqual([{ ...job("a"), attempts: 3 }]);
    },

    "are kept with their text as it is": async ({ backend: { jobs } }) => {
      const texts = ['{"b":1,  "a":1.0}', '"ü\\u0000\u2028👩‍👩‍👧"', "x".repeat(300_000)];
      for (const [index, body] of texts.entries()) {
        await jobs.enqueue({ ...job(`${index}`), body }, at(1));
      }
      expect(bodies(await jobs.lease({ now: 1, leasedUntil: 2, limit: 9 }))).toEqual([...texts].sort());
    },

    "are in the queue once": async ({ backend: { jobs } }) => {
      expect(await jobs.enqueue(job("a"), at(1_000))).toBe(true);
      expect(await jobs.enqueue({ ...job("a"), body: "other" }, at(5))).toBe(false);
      expect(await jobs.size()).toBe(1);
      expect(await jobs.lease({ now: 5, leasedUntil: 6, limit: 9 })).toEqual([]);
      expect(await jobs.lease({ now: 1_000, leasedUntil: 2_000, limit: 9 })).toEqual([
        { ...job("a"), attempts: 2 },
      ]);
    },

    "of the same id are two for two users": async ({ backend: { jobs } }) => {
      expect(await jobs.enqueue(job("a", ann), at(1))).toBe(true);
      expect(await jobs.enqueue(job("a", bob), at(1))).toBe(true);
      expect(await jobs.size()).toBe(2);
      await jobs.complete(ann, hashOf("a"));
      await jobs.release(ann, hashOf("a"), 0);
      expect(await jobs.lease({ now: 1, leasedUntil: 2, limit: 9 })).toEqual([
        { ...job("a", bob), attempts: 2 },
      ]);
    },

    "are gone for good when they are complete": async ({ backend: { jobs } }) => {
      await jobs.enqueue(job("a"), at(1));
      await jobs.enqueue(job("b"), at(1));
      await jobs.complete(ann, hashOf("a"));
      await jobs.complete(ann, hashOf("a"));
      await jobs.complete(bob, hashOf("b"));
      await jobs.release(ann, hashOf("a"), 0);
      await jobs.release(ann, hashOf("never there"), 0);
      expect(await jobs.size()).toBe(1);
      expect(bodies(await jobs.lease({ now: 1e12, leasedUntil: 2e12, limit: 9 }))).toEqual(["body of b"]);
      expect(await jobs.enqueue(job("a"), at(1)), "a job that is complete can come again").toBe(true);
    },

    "that are released wait for their time, sooner or later than their lease": async ({
      backend: { jobs },
    }) => {
      await jobs.enqueue(job("a"), at(1_000));
      await jobs.enqueue(job("b"), at(1_000));
      await jobs.release(ann, hashOf("a"), 500);
      await jobs.release(ann, hashOf("b"), 3_000);
      expect(bodies(await jobs.lease({ now: 2_000, leasedUntil: 9_000, limit: 9 }))).toEqual(["body of a"]);
      expect(bodies(await jobs.lease({ now: 3_000, leasedUntil: 9_000, limit: 9 }))).toEqual(["body of b"]);
    },

    "are refused for another epoch than the user's, and then nothing is written": async ({ backend }) => {
      const { jobs } = backend;
      expect(await jobs.enqueue(job("a"), at(1, 1))).toBe(false);
      await backend.erase(ann, { state: "", audit: [] });
      expect(await jobs.enqueue(job("a"), at(1, 0))).toBe(false);
      expect(await jobs.enqueue(job("a"), at(1, 2))).toBe(false);
      expect(await jobs.size()).toBe(0);
      expect(await jobs.enqueue(job("a"), at(1, 1))).toBe(true);
      await commitTo(backend, ann, {});
      expect(await jobs.enqueue(job("b"), at(1, 1)), "a commit leaves the epoch").toBe(true);
      expect(await jobs.enqueue(job("a", bob), at(1, 0)), "another user's epoch is another").toBe(true);
    },

    "leave a user's facts and version alone": async ({ backend }) => {
      const head = await commitTo(backend, ann, {});
      await backend.jobs.enqueue(job("a"), at(1));
      await backend.jobs.lease({ now: 1, leasedUntil: 2, limit: 1 });
      await backend.jobs.complete(ann, hashOf("a"));
      expect((await backend.read(ann, {})).head).toEqual(head);
    },

    "say whether they outlive the process": async ({ backend }) => {
      expect(backend.jobs.durable).toBeTypeOf("boolean");
    },
  },
};
