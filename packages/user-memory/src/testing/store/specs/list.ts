import { expect } from "vitest";
import { EVERY_STATUS, expectRefusal, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

export const list: StoreSpec = {
  subject: "list and get",
  rules: {
    "return active facts, newest first": async ({ memory, user }) => {
      for (const fact of ["One", "Two", "Three"]) await memory.remember(user, fact);
      await memory.remember(user, "Four", { trust: "external" });
      expect(texts(await memory.list(user))).toEqual(["Three", "Two", "One"]);
      expect(texts(await memory.list(user, { limit: 2 }))).toEqual(["Three", "Two"]);
      expect(await memory.list(user, { limit: 0 })).toEqual([]);
    },

    "return facts with the given statuses": async ({ memory, user }) => {
      await memory.remember(user, "Lives in Rome", { key: "city" });
      await memory.remember(user, "Lives in Oslo", { key: "city" });
      await memory.remember(user, "Uses Acme", { trust: "external" });
      expect(texts(await memory.list(user, { status: "quarantined" }))).toEqual(["Uses Acme"]);
      expect(texts(await memory.list(user, { status: ["superseded", "active"] }))).toEqual([
        "Lives in Oslo",
        "Lives in Rome",
      ]);
      expect(await memory.list(user, { status: EVERY_STATUS })).toHaveLength(3);
      expect(await memory.list(user, { status: [] })).toEqual([]);
    },

    "return and count only facts with at least one of the tags": async ({ memory, user }) => {
      for (let index = 0; index < 12; index++) {
        await memory.remember(user, `Fact ${index}`, { tags: index % 4 === 0 ? ["rare", "x"] : ["common"] });
      }
      expect(texts(await memory.list(user, { tags: ["rare"], limit: 2 }))).toEqual(["Fact 8", "Fact 4"]);
      expect(await memory.list(user, { tags: ["rare", "common"] })).toHaveLength(12);
      expect(await memory.list(user, { tags: [] })).toEqual([]);
      expect(await memory.list(user, { tags: ["none"] })).toEqual([]);
    },

    "return copies: changes don't affect the store": async ({ memory, user }) => {
      const fact = await memory.remember(user, "Likes tea", { tags: ["a"] });
      const copy = await memory.get(user, fact.id);
      if (copy === null) return expect.fail("expected the fact");
      try {
        Object.assign(copy, { fact: "Likes zebras" });
        (copy.tags as string[]).push("zebra");
      } catch {
        // A frozen result is fine, too.
      }
      copy.createdAt.setTime(0);
      expect(await memory.get(user, fact.id)).toEqual(
        expect.objectContaining({ fact: "Likes tea", tags: ["a"], validFrom: fact.validFrom }),
      );
      expect((await memory.get(user, fact.id))?.createdAt.getTime()).not.toBe(0);
    },

    "return null and an empty list for missing facts": async ({ memory, user, other }) => {
      const theirs = await memory.remember(other, "Likes tea");
      for (const id of [theirs.id, crypto.randomUUID(), "", "*", "x".repeat(10_000), "\0", "__proto__"]) {
        expect(await memory.get(user, id)).toBeNull();
      }
      expect(await memory.list(user)).toEqual([]);
    },

    "refuse invalid options": async ({ memory, user }) => {
      for (const options of [
        { limit: -1 },
        { limit: 1.5 },
        { status: "zebra" },
        { tags: "zebra" },
        { zebra: 1 },
      ]) {
        await expectRefusal(memory.list(user, options as object), "invalid", "zebra");
      }
    },
  },
};
