import { expect } from "vitest";
import type { StoreSpec } from "../spec.ts";

export const audit: StoreSpec = {
  subject: "audit",
  rules: {
    "records changes in order, without text": async ({ memory, user }) => {
      const rome = await memory.remember(user, "Lives in zebra town", {
        key: "zebra-key",
        tags: ["zebra-tag"],
      });
      const oslo = await memory.remember(user, "Lives in Oslo", { key: "zebra-key" });
      await memory.update(user, oslo.id, { score: 0.5 });
      await memory.forget(user, oslo.id);
      const acme = await memory.remember(user, "Uses Acme", { trust: "external" });
      await memory.review.approve(user, acme.id);
      const bolt = await memory.remember(user, "Uses Bolt", { trust: "external" });
      await memory.review.reject(user, bolt.id);
      const trail = await memory.audit(user);
      expect(trail.map(({ action, factId }) => [action, factId])).toEqual([
        ["remembered", rome.id],
        ["remembered", oslo.id],
        ["superseded", rome.id],
        ["changed", oslo.id],
        ["forgotten", oslo.id],
        ["revived", rome.id],
        ["quarantined", acme.id],
        ["approved", acme.id],
        ["quarantined", bolt.id],
        ["rejected", bolt.id],
      ]);
      expect(trail.map(({ seq }) => seq)).toEqual(trail.map((_, index) => index + 1));
      for (const [index, { previous }] of trail.entries()) {
        expect(previous).toBe(trail[index - 1]?.hash ?? "0".repeat(64));
      }
      expect(JSON.stringify(trail)).not.toMatch(/zebra|Oslo|Acme|Bolt/);
      expect(JSON.stringify(trail)).not.toContain(user);
      for (const { at } of trail) expect(at).toBeInstanceOf(Date);
    },

    "records nothing for calls without a change": async ({ memory, user }) => {
      const fact = await memory.remember(user, "Likes tea");
      const trail = await memory.audit(user);
      await memory.recall(user, "tea");
      await memory.forget(user, crypto.randomUUID());
      await memory.remember(user, "likes tea", { trust: "inferred" });
      await memory.explain(user, fact.id, "tea");
      expect(await memory.audit(user)).toEqual(trail);
    },

    "is empty and valid for an unknown user": async ({ memory, user }) => {
      expect(await memory.audit(user)).toEqual([]);
      expect(await memory.verifyAudit(user)).toEqual({ ok: true, entries: 0, facts: 0, problems: [] });
    },

    "is valid after every kind of change, also with a key, in every process": async (scenario) => {
      const { memory, another, user, other } = scenario;
      const keyed = scenario.withOptions({ auditKey: "a secret of sixteen characters" });
      for (const [store, whose] of [
        [memory, user],
        [keyed, other],
      ] as const) {
        const rome = await store.remember(whose, "Lives in Rome", { key: "city", score: 0.1, tags: ["a"] });
        const oslo = await store.remember(whose, "Lives in Oslo", { key: "city", trust: "confirmed" });
        await store.update(whose, rome.id, { score: 1e-7 });
        await store.remember(whose, "lives in OSLO");
        await store.forget(whose, oslo.id);
        await store.remember(whose, "Uses Acme", { trust: "external" });
        expect(await store.verifyAudit(whose)).toMatchObject({ ok: true, facts: 2, problems: [] });
      }
      expect(await (await another()).verifyAudit(user)).toMatchObject({ ok: true, facts: 2 });
      expect(await memory.verifyAudit(other), "with another key").toMatchObject({ ok: false });
    },
  },
};
