import { expect } from "vitest";
import { everything, expectRefusal, ids, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

export const review: StoreSpec = {
  subject: "review",
  rules: {
    "lists only waiting facts, newest first": async ({ memory, user, other }) => {
      await memory.remember(user, "Likes tea");
      await memory.remember(user, "Uses Acme", { trust: "external", tags: ["bank"] });
      await memory.remember(user, "Uses Bolt", { trust: "external" });
      await memory.remember(other, "Uses Cord", { trust: "external" });
      expect(texts(await memory.review.list(user))).toEqual(["Uses Bolt", "Uses Acme"]);
      expect(texts(await memory.review.list(user, { tags: ["bank"] }))).toEqual(["Uses Acme"]);
      expect(texts(await memory.review.list(user, { limit: 1 }))).toEqual(["Uses Bolt"]);
    },

    "makes an approved fact active, confirmed and found": async ({ memory, user }) => {
      const { id } = await memory.remember(user, "Uses Acme bank", { trust: "external" });
      const fact = await memory.review.approve(user, id);
      expect(fact).toMatchObject({ id, status: "active", trust: "confirmed", fact: "Uses Acme bank" });
      expect(fact).not.toHaveProperty("quarantine");
      expect(ids(await memory.recall(user, "bank"))).toEqual([id]);
      expect(await memory.review.list(user)).toEqual([]);
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true });
    },

    "replaces the contradicted fact by the approved one": async ({ memory, user }) => {
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      const oslo = await memory.remember(user, "Lives in Oslo", { key: "city", trust: "inferred" });
      expect(oslo.quarantine).toBe("conflict");
      const approved = await memory.review.approve(user, oslo.id);
      expect(approved).not.toHaveProperty("conflictsWith");
      expect(ids(await memory.list(user))).toEqual([oslo.id]);
      expect(await memory.get(user, rome.id)).toMatchObject({ status: "superseded", supersededBy: oslo.id });
    },

    "forgets a rejected fact for good": async ({ memory, user }) => {
      const provenance = { extractor: "m", saidAt: new Date(Date.now() - 1_000), evidence: "so they said" };
      const options = { trust: "external" as const, provenance };
      const { id } = await memory.remember(user, "Uses Acme bank", options);
      expect(await memory.review.reject(user, id)).toBe(true);
      expect(await everything(memory, user)).toEqual([]);
      await expectRefusal(memory.remember(user, "Uses Acme bank", options), "forgotten");
      expect(await memory.review.reject(user, id)).toBe(false);
    },

    "does nothing for facts that don't wait or are another user's": async ({ memory, user, other }) => {
      const active = await memory.remember(user, "Likes tea");
      const theirs = await memory.remember(other, "Uses Acme", { trust: "external" });
      for (const id of [active.id, theirs.id, crypto.randomUUID(), "", "__proto__"]) {
        expect(await memory.review.approve(user, id)).toBeNull();
        expect(await memory.review.reject(user, id)).toBe(false);
      }
      expect(await memory.list(user)).toEqual([active]);
      expect(await memory.review.list(other)).toEqual([theirs]);
    },

    "happens once if two clients decide at the same time": async ({ memory, another, user }) => {
      const second = await another();
      const { id } = await memory.remember(user, "Uses Acme bank", { trust: "external" });
      const [approved, rejected] = await Promise.all([
        memory.review.approve(user, id),
        second.review.reject(user, id),
      ]);
      expect([approved !== null, rejected].filter(Boolean)).toHaveLength(1);
      expect(await everything(memory, user)).toHaveLength(rejected ? 0 : 1);
    },
  },
};
