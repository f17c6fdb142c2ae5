import { expect } from "vitest";
import { expectRefusal } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

export const explain: StoreSpec = {
  subject: "explain",
  rules: {
    "returns why a query finds a fact, its rank and its source": async ({ memory, user }) => {
      const provenance = {
        conversationId: "c",
        position: 2,
        evidence: "I repair bicycles",
        saidAt: new Date(1e12),
      };
      const repairs = await memory.remember(user, "Repairs old bicycles", { provenance });
      const owns = await memory.remember(user, "Owns a bicycle");
      const explained = await memory.explain(user, repairs.id, "who repairs bicycles?");
      expect(explained).toMatchObject({ fact: repairs, rank: 1, recallable: true, supersedes: [] });
      expect(explained?.fact.provenance).toEqual(provenance);
      const terms = explained?.reasons.find(({ kind }) => kind === "terms");
      expect(terms?.terms).toHaveLength(2);
      expect(terms?.score).toBeGreaterThan(0);
      expect(await memory.explain(user, owns.id, "who repairs bicycles?")).toMatchObject({ rank: 2 });
    },

    "returns the rank of the fact in a recall": async ({ memory, user }) => {
      for (let index = 0; index < 12; index++)
        await memory.remember(user, `Tea ${"tea ".repeat(index % 4)}${index}`);
      const found = await memory.recall(user, "tea", { limit: 12 });
      for (const [index, { id }] of found.entries()) {
        expect((await memory.explain(user, id, "tea"))?.rank).toBe(index + 1);
      }
    },

    "returns why a fact isn't recalled": async ({ memory, user }) => {
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      await memory.remember(user, "Lives in Oslo", { key: "city" });
      const acme = await memory.remember(user, "Uses Acme", { trust: "external" });
      const flat = await memory.remember(user, "Rents", {
        validFrom: new Date("2010-01-01"),
        validUntil: new Date("2012-01-01"),
      });
      const obstacles = [
        [rome.id, "superseded"],
        [acme.id, "quarantined"],
        [flat.id, "no-longer-valid"],
      ] as const;
      for (const [id, obstacle] of obstacles) {
        const explained = await memory.explain(user, id, "lives Rome uses Acme rents");
        expect(explained).toMatchObject({ rank: null, reasons: [], recallable: false, obstacle });
      }
    },

    "returns the facts that a fact superseded": async ({ memory, user }) => {
      await memory.remember(user, "Lives in Rome", { key: "city" });
      const oslo = await memory.remember(user, "Lives in Oslo", { key: "city" });
      const explained = await memory.explain(user, oslo.id);
      expect(explained?.supersedes.map(({ fact }) => fact)).toEqual(["Lives in Rome"]);
      expect(explained).toMatchObject({ rank: null, recallable: true });
      expect(explained).not.toHaveProperty("obstacle");
    },

    "returns null for a missing fact or another user's": async ({ memory, user, other }) => {
      const theirs = await memory.remember(other, "Likes tea");
      for (const id of [theirs.id, crypto.randomUUID(), "", "__proto__"]) {
        expect(await memory.explain(user, id, "tea")).toBeNull();
      }
      await expectRefusal(memory.explain(other, theirs.id, 5 as unknown as string), "invalid");
    },
  },
};
