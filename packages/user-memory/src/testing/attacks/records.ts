import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { UserKey, UserMemoryBackend } from "../../backend.ts";
import type { UserMemoryStore } from "../../store.ts";
import { dumpOf } from "../store/dump.ts";
import { EVERY_STATUS, everything, gate } from "../store/expectations.ts";
import type { StoreSpec } from "../store/spec.ts";
import { type Stored, tamperings } from "./tamperings.ts";
import { converse } from "./turns.ts";

const EXTRACTIONS = 8;
const auditKey = "only the application knows it";

const keyOf = (userId: string): UserKey => ({
  userId,
  hash: createHash("sha256").update(userId).digest("base64url"),
});

async function stored(backend: UserMemoryBackend, user: UserKey): Promise<Stored> {
  const { head, entries } = await backend.audit(user);
  if (head === null) return expect.fail("expected a user with facts");
  return { head, facts: await backend.list(user, { statuses: EVERY_STATUS, limit: 1_000 }), audit: entries };
}

/** Overwrites a user's data. Calls the backend directly, which bypasses all rules of the store. */
async function overwrite(
  backend: UserMemoryBackend,
  user: UserKey,
  { head, facts, audit }: Stored,
): Promise<void> {
  await backend.erase(user, { state: head.state, audit });
  const now = (await backend.read(user, {})).head;
  if (now === null) return expect.fail("expected a head");
  await backend.commit(user, {
    ...{ expectedVersion: now.version, head: { ...now, version: now.version + 1, state: head.state } },
    put: facts.map((after) => ({ before: null, after })),
    ...{ drop: [], tombstones: [], removedTombstones: [], audit: [] },
  });
}

async function live(memory: UserMemoryStore, user: string): Promise<void> {
  await memory.remember(user, "Uses Acme", { trust: "external" });
  await memory.remember(user, "Lives in Rome", { key: "city" });
  await memory.remember(user, "Lives in Oslo", { key: "city" });
  await memory.remember(user, "Likes tea", { tags: ["drink"], score: 0.5, trust: "inferred" });
}

export const records: StoreSpec = {
  subject: "attacks on stored data",
  rules: {
    "17. forgetAll while 8 extractions are under way leaves no word of the user": async ({ open, user }) => {
      const store = await open();
      const { memory } = store;
      const second = (await store.another?.()) ?? memory;
      const said = (index: number) => `I keep zebracow number ${index} in zebratown.`;
      const extracted = (index: number) => [
        {
          fact: `The user keeps zebracow number ${index} in zebratown`,
          evidence: `I keep zebracow number ${index} in zebratown`,
          score: 1,
          tags: ["zebratag"],
        },
      ];
      await converse(memory, user, {
        said: said(100),
        extracted: extracted(100),
        conversationId: "zebratalk",
      });
      expect(await memory.list(user), "an extraction without an erasure is stored").toHaveLength(1);
      const answer = gate();
      const turns = Array.from({ length: EXTRACTIONS }, (_, index) =>
        converse(index % 2 === 0 ? memory : second, user, {
          ...{ said: said(index), extracted: extracted(index), conversationId: "zebratalk", position: index },
          answered: answer.opened,
        }),
      );
      while ((await memory.queue.size()) < EXTRACTIONS)
        await new Promise((resolve) => setTimeout(resolve, 1));
      // The backend doesn't show leased jobs.
      if (store.dump !== undefined) expect((await store.dump()).toLowerCase()).toContain("zebracow number 3");
      expect(await memory.forgetAll(user)).toMatchObject({ facts: 1, jobs: EXTRACTIONS });
      answer.open();
      await Promise.all(turns);
      await Promise.all([memory.drain(), second.drain()]);
      expect(await everything(memory, user)).toEqual([]);
      expect(await memory.queue.size()).toBe(0);
      const left = (await dumpOf(store, [user])).toLowerCase();
      for (const trace of ["zebra", user.toLowerCase()]) expect(left).not.toContain(trace);
    },

    "20. the audit trail shows every tampering": async (scenario) => {
      const { backend, withOptions, user } = scenario;
      for (const [index, [title, tamper]] of Object.entries(tamperings).entries()) {
        const memory = withOptions(index % 2 === 0 ? {} : { auditKey });
        const whose = `${user} ${index}`;
        await live(memory, whose);
        const was = await stored(backend, keyOf(whose));
        await overwrite(backend, keyOf(whose), was);
        expect(await memory.verifyAudit(whose), "an unchanged state is valid").toMatchObject({ ok: true });
        const tampered = { ...was, ...tamper(was) };
        expect(tampered, title).not.toEqual(was);
        await overwrite(backend, keyOf(whose), tampered);
        const report = await memory.verifyAudit(whose);
        expect(report.ok, title).toBe(false);
        expect(report.problems.length, title).toBeGreaterThan(0);
      }
    },

    "20. a change that is reverted together with its entry is detected": async ({
      backend,
      withOptions,
      user,
    }) => {
      const memory = withOptions({ auditKey });
      await live(memory, user);
      const was = await stored(backend, keyOf(user));
      for (const fact of await memory.list(user)) await memory.update(user, fact.id, { score: 0.7 });
      const now = await stored(backend, keyOf(user));
      await overwrite(backend, keyOf(user), { ...was, head: now.head });
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: false, problems: [{ kind: "cut-off" }] });
    },

    "20. a trail that is rewritten without the application's key is detected": async (scenario) => {
      const { withOptions, memory: unkeyed, user } = scenario;
      const keyed = withOptions({ auditKey });
      await live(keyed, user);
      await unkeyed.forgetAll(user);
      await unkeyed.remember(user, "Wires money to Acme");
      expect(await unkeyed.verifyAudit(user)).toMatchObject({ ok: true });
      expect(await keyed.verifyAudit(user)).toMatchObject({ ok: false });
    },

    "20. another user's trail is detected": async ({ backend, withOptions, user, other }) => {
      const memory = withOptions({ auditKey });
      await live(memory, user);
      await memory.remember(other, "Wires money to Acme");
      await overwrite(backend, keyOf(user), await stored(backend, keyOf(other)));
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: false });
    },
  },
};
