import { expect } from "vitest";
import { everything, expectRefusal, ids, nextMoment, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const extracted = (saidAt: Date, evidence = "I'm allergic to nuts") => ({
  trust: "inferred" as const,
  provenance: { extractor: "m", conversationId: "c", position: 3, evidence, saidAt },
});

export const forgetting: StoreSpec = {
  subject: "forget",
  rules: {
    "deletes a fact and returns the counts": async ({ memory, user }) => {
      const [tea, coffee] = [
        await memory.remember(user, "Likes tea"),
        await memory.remember(user, "Likes coffee"),
      ];
      expect(await memory.forget(user, tea.id)).toEqual({
        ...{ receiptId: expect.stringMatching(/./), at: expect.any(Date) },
        ...{ facts: 1, vectors: 0, jobs: 0, revived: 0 },
      });
      expect(await memory.get(user, tea.id)).toBeNull();
      expect(await everything(memory, user)).toEqual([coffee]);
      expect(await memory.recall(user, "tea")).toEqual([]);
      expect(ids(await memory.recall(user, "likes"))).toEqual([coffee.id]);
    },

    "returns a receipt with zero counts for a missing fact": async ({ memory, user, other }) => {
      const theirs = await memory.remember(other, "Likes tea");
      for (const id of [theirs.id, crypto.randomUUID(), "", "*", "__proto__"]) {
        expect(await memory.forget(user, id)).toMatchObject({ facts: 0, vectors: 0, jobs: 0, revived: 0 });
      }
      const again = await memory.forget(other, theirs.id);
      expect(again.facts).toBe(1);
      const receipts = await Promise.all([1, 2].map(() => memory.forget(other, theirs.id)));
      expect(new Set([again, ...receipts].map(({ receiptId }) => receiptId)).size).toBe(3);
      expect(receipts.map(({ facts }) => facts)).toEqual([0, 0]);
    },

    "makes the superseded fact active again": async ({ memory, user }) => {
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      const oslo = await memory.remember(user, "Lives in Oslo", { key: "city" });
      expect(await memory.forget(user, oslo.id)).toMatchObject({ facts: 1, revived: 1 });
      const [revived] = await memory.list(user);
      expect(revived).toMatchObject({ id: rome.id, status: "active" });
      expect(revived).not.toHaveProperty("supersededBy");
      expect(ids(await memory.recall(user, "lives"))).toEqual([rome.id]);
    },

    "keeps the newest fact current if an older one is forgotten": async ({ memory, user }) => {
      const [rome, bern, oslo] = [
        await memory.remember(user, "Lives in Rome", { key: "city" }),
        await memory.remember(user, "Lives in Bern", { key: "city" }),
        await memory.remember(user, "Lives in Oslo", { key: "city" }),
      ];
      expect(await memory.forget(user, bern.id)).toMatchObject({ facts: 1, revived: 0 });
      expect(ids(await memory.list(user))).toEqual([oslo.id]);
      expect(await memory.get(user, rome.id)).toMatchObject({ supersededBy: oslo.id });
      await memory.forget(user, oslo.id);
      expect(ids(await memory.list(user))).toEqual([rome.id]);
    },

    "makes no fact active again if a newer one with its key exists": async ({
      memory,
      withOptions,
      user,
    }) => {
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      const resolving = withOptions({ resolve: async () => [rome.id] });
      const bern = await resolving.remember(user, "Now lives in Bern");
      expect(await memory.get(user, rome.id)).toMatchObject({ supersededBy: bern.id });
      const oslo = await memory.remember(user, "Home is Oslo", { key: "city" });
      await memory.forget(user, bern.id);
      expect(ids(await memory.list(user))).toEqual([oslo.id]);
    },

    "deletes older facts with the same text, too": async ({ memory, user }) => {
      await memory.remember(user, "Lives in Rome", { key: "city" });
      const oslo = await memory.remember(user, "Lives in Oslo", { key: "city" });
      const again = await memory.remember(user, "Lives in Rome", { key: "city" });
      await memory.forget(user, again.id);
      expect(texts(await everything(memory, user)), "also not as history").not.toContain("Lives in Rome");
      await memory.forget(user, oslo.id);
      expect(texts(await memory.list(user))).not.toContain("Lives in Rome");
    },

    "leaves no text of the fact in the audit trail": async ({ memory, user }) => {
      const fact = await memory.remember(user, "Likes zebra milk", { tags: ["zebra-tag"] });
      await memory.forget(user, fact.id);
      expect(JSON.stringify(await memory.audit(user))).not.toContain("zebra");
    },

    "prevents extraction from older messages": async ({ memory, user }) => {
      const saidAt = new Date(Date.now() - 60_000);
      const fact = await memory.remember(user, "Is allergic to nuts", extracted(saidAt));
      await memory.forget(user, fact.id);
      const variants = [
        "Is allergic to nuts",
        "is  allergic to NUTS!",
        "The user is allergic to nuts",
        "Allergic to nuts",
      ];
      for (const variant of variants) {
        await expectRefusal(memory.remember(user, variant, extracted(saidAt, variant)), "forgotten", variant);
        const { saidAt: _, ...provenance } = extracted(saidAt, variant).provenance;
        const undated = { trust: "inferred" as const, provenance };
        await expectRefusal(memory.remember(user, variant, undated), "forgotten", variant);
      }
      expect(await everything(memory, user)).toEqual([]);
    },

    "prevents extraction of another wording from the same message": async ({ memory, user }) => {
      const saidAt = new Date(Date.now() - 60_000);
      const fact = await memory.remember(user, "Is allergic to nuts", extracted(saidAt));
      await memory.forget(user, fact.id);
      await expectRefusal(memory.remember(user, "Must avoid nuts", extracted(saidAt)), "forgotten");
      const elsewhere = { ...extracted(saidAt, "Tea, please").provenance, position: 5 };
      const tea = await memory.remember(user, "Drinks tea", { trust: "inferred", provenance: elsewhere });
      expect(tea.status).toBe("active");
    },

    "allows the user to state the fact again": async ({ memory, user }) => {
      const saidAt = new Date(Date.now() - 60_000);
      const fact = await memory.remember(user, "Is allergic to nuts", extracted(saidAt));
      await memory.forget(user, fact.id);
      const later = await nextMoment();
      const extractedAgain = await memory.remember(user, "Is allergic to nuts", extracted(later));
      expect(extractedAgain).toMatchObject({ status: "active", trust: "inferred" });
      await memory.forget(user, extractedAgain.id);
      expect(await memory.remember(user, "Is allergic to nuts")).toMatchObject({ trust: "stated" });
    },

    "doesn't prevent another user from stating the fact": async ({ memory, user, other }) => {
      const saidAt = new Date(Date.now() - 60_000);
      const fact = await memory.remember(user, "Is allergic to nuts", extracted(saidAt));
      await memory.forget(user, fact.id);
      expect(await memory.remember(other, "Is allergic to nuts", extracted(saidAt))).toMatchObject({
        status: "active",
      });
    },

    "counts the fact once if several clients forget it at the same time": async ({
      memory,
      another,
      user,
    }) => {
      const fact = await memory.remember(user, "Likes tea");
      const second = await another();
      const receipts = await Promise.all(
        [memory, second, memory, second].map((one) => one.forget(user, fact.id)),
      );
      expect(receipts.map(({ facts }) => facts).sort()).toEqual([0, 0, 0, 1]);
    },
  },
};
