import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { ErasureMark, ExtractionJob } from "../../../store.ts";
import { expectRefusal } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const job = (userId: string, fields: Partial<ExtractionJob> = {}): ExtractionJob => ({
  ...{
    id: randomUUID(),
    userId,
    said: ["I like tea", "日本 👩‍👩‍👧"],
    reply: "Noted.\n",
    saidAt: new Date(1.7e12),
  },
  ...{
    conversationId: "c",
    position: 4,
    model: "small",
    tags: ["a"],
    threshold: 0.7,
    since: 0 as ErasureMark,
  },
  ...fields,
});

export const queue: StoreSpec = {
  subject: "queue",
  rules: {
    "leases a new job to the caller, and to no other worker meanwhile": async ({ open, user }) => {
      const { memory } = await open();
      const given = job(user);
      const leased = await memory.queue.enqueue(given, { leaseMs: 60_000 });
      expect(leased).toMatchObject({ job: given, attempt: 1 });
      expect(await memory.queue.lease({ limit: 10, leaseMs: 60_000 })).toEqual([]);
      expect(await memory.queue.size()).toBe(1);
      await leased?.complete();
      expect(await memory.queue.size()).toBe(0);
    },

    "stores neither secrets nor turns that the user asked not to keep": async ({ open, user }) => {
      const { memory } = await open();
      const said = ["I like tea. My password is hunter2.", "I own a dog."];
      const leased = await memory.queue.enqueue(job(user, { said }), {
        leaseMs: 0,
      });
      expect(leased?.job.said).toHaveLength(2);
      const waiting = await memory.queue.lease({ limit: 10, leaseMs: 60_000 });
      expect(waiting).toHaveLength(1);
      expect(JSON.stringify([leased?.job.said, waiting[0]?.job.said])).not.toContain("hunter2");
      const quiet = job(user, { said: ["I like tea.", "Please don't save that."] });
      expect(await memory.queue.enqueue(quiet, { leaseMs: 60_000 })).toBeNull();
      expect(await memory.queue.size()).toBe(1);
    },

    "has one job for each turn": async ({ open, user, other }) => {
      const { memory } = await open();
      const given = job(user);
      expect(await memory.queue.enqueue(given, { leaseMs: 60_000 })).not.toBeNull();
      expect(await memory.queue.enqueue(given, { leaseMs: 60_000 })).toBeNull();
      expect(await memory.queue.enqueue({ ...given, userId: other }, { leaseMs: 60_000 })).not.toBeNull();
      expect(await memory.queue.size()).toBe(2);
    },

    "leases released and unfinished jobs again, complete": async ({ open, user }) => {
      const { memory } = await open();
      const [released, lost] = [
        job(user),
        job(user, { conversationId: undefined, model: undefined, tags: [] }),
      ];
      const first = await memory.queue.enqueue(released, { leaseMs: 60_000 });
      await memory.queue.enqueue(lost, { leaseMs: 0 });
      await first?.release(0);
      await new Promise((resolve) => setTimeout(resolve, 2));
      const leased = await memory.queue.lease({ limit: 10, leaseMs: 60_000 });
      expect(leased.map((one) => one.job.id).sort()).toEqual([released.id, lost.id].sort());
      for (const one of leased) {
        expect(one.attempt).toBe(2);
        expect(one.job).toEqual(one.job.id === released.id ? released : lost);
      }
      await Promise.all(leased.map(({ complete }) => complete()));
      expect(await memory.queue.size()).toBe(0);
    },

    "lets a released job wait": async ({ open, user }) => {
      const { memory } = await open();
      const leased = await memory.queue.enqueue(job(user), { leaseMs: 0 });
      await leased?.release(60_000);
      expect(await memory.queue.lease({ limit: 10, leaseMs: 1 })).toEqual([]);
      expect(await memory.queue.size()).toBe(1);
    },

    "leases each job to one of several processes": async ({ open }) => {
      const store = await open();
      const { memory } = store;
      const second = (await store.another?.()) ?? memory;
      const all = Array.from({ length: 24 }, (_, index) => job(`user ${index % 3}`));
      for (const one of all) await (await memory.queue.enqueue(one, { leaseMs: 0 }))?.release(0);
      await new Promise((resolve) => setTimeout(resolve, 2));
      const work = async (from: typeof memory) => {
        const mine: string[] = [];
        for (;;) {
          const leased = await from.queue.lease({ limit: 3, leaseMs: 60_000 });
          if (leased.length === 0) return mine;
          mine.push(...leased.map((one) => one.job.id));
        }
      };
      const workers = await Promise.all([memory, second, memory, second].map(work));
      const rest = await work(memory);
      expect([...workers.flat(), ...rest].sort()).toEqual(all.map(({ id }) => id).sort());
    },

    "refuses a job from before an erasure": async ({ open, user }) => {
      const { memory } = await open();
      const since = await memory.mark(user);
      await memory.forgetAll(user);
      expect(await memory.queue.enqueue(job(user, { since }), { leaseMs: 1 })).toBeNull();
      const now = job(user, { since: await memory.mark(user) });
      expect(await memory.queue.enqueue(now, { leaseMs: 1 })).not.toBeNull();
    },

    "refuses invalid jobs": async ({ memory, user }) => {
      const wrong = [
        ...[job(""), job(`${user}\0`), { ...job(user), id: "" }, { ...job(user), said: "zebra" }],
        ...[{ ...job(user), threshold: "zebra" }, { ...job(user), saidAt: "zebra" }, null],
      ];
      for (const given of wrong) {
        const call = memory.queue.enqueue(given as ExtractionJob, { leaseMs: 1 });
        await expectRefusal(call, "invalid", "zebra");
      }
    },
  },
};
