import { expect } from "vitest";
import { expectRefusal, ids } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

export const update: StoreSpec = {
  subject: "update",
  rules: {
    "changes only the given fields": async ({ memory, user }) => {
      const options = {
        tags: ["a"],
        score: 0.5,
        key: "drink",
        provenance: { conversationId: "c", position: 1 },
      };
      const fact = await memory.remember(user, "Likes tea", options);
      const validUntil = new Date("2041-01-01");
      const changed = await memory.update(user, fact.id, { tags: ["b", "c"], score: 0.7, validUntil });
      expect(changed).toEqual({
        ...fact,
        tags: ["b", "c"],
        score: 0.7,
        validUntil,
        updatedAt: expect.any(Date),
      });
      expect(await memory.get(user, fact.id)).toEqual(changed);
      const bare = await memory.update(user, fact.id, { tags: [], score: null, validUntil: null });
      for (const gone of ["tags", "score", "validUntil"]) expect(bare).not.toHaveProperty(gone);
      expect(bare).toMatchObject({ fact: "Likes tea", key: "drink" });
    },

    "with a new text makes it a new statement, found by its own words": async ({ memory, user }) => {
      const provenance = { conversationId: "c", position: 1, evidence: "I like green tea", extractor: "m" };
      const fact = await memory.remember(user, "Likes green tea", { trust: "inferred", provenance });
      const changed = await memory.update(user, fact.id, { fact: "Likes coffee" });
      expect(changed).toMatchObject({ id: fact.id, fact: "Likes coffee", trust: "stated", provenance: {} });
      expect(await memory.recall(user, "green tea")).toEqual([]);
      expect(ids(await memory.recall(user, "coffee"))).toEqual([fact.id]);
    },

    "refuses the text of another fact": async ({ memory, user }) => {
      const tea = await memory.remember(user, "Likes zebra tea");
      await memory.remember(user, "Likes coffee");
      await expectRefusal(memory.update(user, tea.id, { fact: "likes coffee!" }), "invalid", "coffee");
      expect(await memory.get(user, tea.id)).toEqual(tea);
      expect(await memory.update(user, tea.id, { fact: "Likes Zebra tea." })).toMatchObject({ id: tea.id });
    },

    "doesn't make a waiting fact active": async ({ memory, user }) => {
      const fact = await memory.remember(user, "Uses Acme bank", { trust: "external" });
      await expectRefusal(memory.update(user, fact.id, { fact: "Uses Acme banks" }), "invalid", "Acme");
      expect(await memory.update(user, fact.id, { score: 1, tags: ["x"] })).toMatchObject({
        ...{ status: "quarantined", trust: "external" },
      });
      expect(await memory.recall(user, "bank")).toEqual([]);
    },

    "returns null for a missing fact or another user's": async ({ memory, user, other }) => {
      const theirs = await memory.remember(other, "Likes tea");
      for (const id of [theirs.id, crypto.randomUUID(), "", "__proto__"]) {
        expect(await memory.update(user, id, { fact: "Likes zebras" })).toBeNull();
      }
      expect(await memory.list(other)).toEqual([theirs]);
      expect(await memory.audit(user)).toEqual([]);
    },

    "refuses invalid changes": async ({ memory, user }) => {
      const { id } = await memory.remember(user, "Likes tea");
      const wrong = [
        { fact: "" },
        { fact: "zebra\0" },
        { score: 2 },
        { tags: [""] },
        { validUntil: 5 },
        { trust: "stated" },
        { zebra: 1 },
        null,
      ];
      for (const changes of wrong)
        await expectRefusal(memory.update(user, id, changes as object), "invalid", "zebra");
    },

    "by several clients at the same time keeps one complete change": async ({ memory, another, user }) => {
      const fact = await memory.remember(user, "Likes tea");
      const clients = [memory, await another()];
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (clients[index % 2] ?? memory).update(user, fact.id, {
            fact: `Likes tea ${index}`,
            tags: [`${index}`],
          }),
        ),
      );
      const now = await memory.get(user, fact.id);
      expect(now?.fact).toBe(`Likes tea ${now?.tags?.[0]}`);
      expect(await memory.verifyAudit(user)).toMatchObject({ ok: true, entries: 9 });
    },
  },
};
