import { expect } from "vitest";
import type { ErasureMark, ExtractionJob, UserMemoryStore } from "../../../store.ts";
import { everything, expectRefusal, gate, nextMoment } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const job = (userId: string, since: ErasureMark): ExtractionJob => ({
  ...{ id: `turn of ${userId}`, userId, said: ["I like tea"], reply: "Noted.", saidAt: new Date() },
  ...{ tags: [], threshold: 0.7, since },
});

async function fill(memory: UserMemoryStore, user: string): Promise<void> {
  await memory.remember(user, "Lives in Rome", { key: "city", tags: ["home"] });
  await memory.remember(user, "Lives in Oslo", { key: "city" });
  await memory.remember(user, "Uses Acme", { trust: "external" });
  const gone = await memory.remember(user, "Likes milk");
  await memory.forget(user, gone.id);
  await memory.queue.enqueue(job(user, await memory.mark(user)), { leaseMs: 1_000 });
}

export const forgetAll: StoreSpec = {
  subject: "forgetAll",
  rules: {
    "deletes all data of the user and returns the counts": async ({ memory, user }) => {
      await fill(memory, user);
      expect(await memory.forgetAll(user)).toEqual({
        ...{ receiptId: expect.stringMatching(/./), at: expect.any(Date) },
        ...{ facts: 3, vectors: 0, jobs: 1, revived: 0 },
      });
      expect(await everything(memory, user)).toEqual([]);
      for (const query of ["lives", "Rome", "Acme", "home"])
        expect(await memory.recall(user, query)).toEqual([]);
      expect(await memory.review.list(user)).toEqual([]);
      expect(await memory.forgetAll(user)).toMatchObject({ facts: 0, jobs: 0 });
    },

    "leaves a valid audit trail with only the erasure": async ({ memory, user }) => {
      await fill(memory, user);
      await memory.forgetAll(user);
      expect((await memory.audit(user)).map(({ action }) => action)).toEqual(["erased"]);
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true, facts: 0, problems: [] });
      await memory.remember(user, "Likes tea");
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true, facts: 1, problems: [] });
    },

    "doesn't affect other users": async ({ memory, user, other }) => {
      await fill(memory, user);
      await fill(memory, other);
      const [facts, trail] = [await everything(memory, other), await memory.audit(other)];
      await memory.forgetAll(user);
      expect(await everything(memory, other)).toEqual(facts);
      expect(await memory.audit(other)).toEqual(trail);
      expect(await memory.forgetAll(other)).toMatchObject({ facts: 3, jobs: 1 });
    },

    "returns a receipt with zero counts for an unknown user": async ({ memory, user }) => {
      expect(await memory.forgetAll(user)).toMatchObject({ facts: 0, vectors: 0, jobs: 0, revived: 0 });
    },

    "refuses a write with a mark from before": async ({ memory, user }) => {
      const since = await memory.mark(user);
      await memory.remember(user, "Likes tea", { since });
      await memory.forgetAll(user);
      await expectRefusal(memory.remember(user, "Likes coffee", { since }), "erased", "coffee");
      expect(await memory.queue.enqueue(job(user, since), { leaseMs: 1 })).toBeNull();
      const now = await memory.mark(user);
      expect((await memory.remember(user, "Likes coffee", { since: now })).status).toBe("active");
    },

    "refuses facts extracted from older messages": async ({ memory, user }) => {
      const before = new Date();
      await memory.remember(user, "Likes tea");
      await memory.forgetAll(user);
      const extracted = (saidAt?: Date) => ({
        trust: "inferred" as const,
        provenance: { extractor: "m", saidAt },
      });
      await expectRefusal(memory.remember(user, "Likes milk", extracted(before)), "erased");
      await expectRefusal(memory.remember(user, "Likes milk", extracted()), "erased");
      const later = await nextMoment();
      expect((await memory.remember(user, "Likes milk", extracted(later))).status).toBe("active");
    },

    "refuses a write that waits for `embed` meanwhile, of this process and of another": async (scenario) => {
      const { memory, user } = scenario;
      await memory.remember(user, "Likes tea");
      const [started, going] = [gate(), gate()];
      let calls = 0;
      const embed = async () => {
        calls += 1;
        if (calls === 2) started.open();
        await going.opened;
        return [[1, 0]];
      };
      const [own, process] = [scenario.withOptions({ embed }), scenario.withOptions({ embed })];
      const writes = [own.remember(user, "Likes zebras"), process.remember(user, "Likes okapis")];
      const outcomes = Promise.all(writes.map((write) => expectRefusal(write, "erased")));
      await started.opened;
      await own.forgetAll(user);
      going.open();
      await outcomes;
      expect(await everything(memory, user)).toEqual([]);
    },

    "allows facts that the user states afterwards": async ({ memory, user }) => {
      await memory.remember(user, "Likes tea");
      await memory.forgetAll(user);
      const fact = await memory.remember(user, "Likes tea");
      expect(await everything(memory, user)).toEqual([fact]);
    },
  },
};
