import { expect } from "vitest";
import { everything, ids, lasting } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

export const repetition: StoreSpec = {
  subject: "remembering again",
  rules: {
    "merges facts that differ only in case, spaces and punctuation": async ({ memory, user }) => {
      const first = await memory.remember(user, "Likes green tea");
      for (const again of [
        "likes green tea",
        "Likes  green\ntea",
        "  LIKES GREEN TEA.",
        "“Likes green tea”!",
      ]) {
        expect((await memory.remember(user, again)).id, again).toBe(first.id);
      }
      expect(await everything(memory, user)).toHaveLength(1);
    },

    "doesn't merge different facts": async ({ memory, user }) => {
      const facts = [
        "Likes C",
        "Likes C++",
        "Likes C#",
        "Doesn't like C",
        "Likes D",
        "Owes 1,000",
        "Owes 1.000",
        "Owes 10.00",
      ];
      for (const fact of facts) await memory.remember(user, fact);
      expect(await memory.list(user)).toHaveLength(facts.length);
    },

    "raises the trust to stated": async ({ memory, user }) => {
      const inferred = await memory.remember(user, "Is vegan", { trust: "inferred", score: 0.4 });
      const stated = await memory.remember(user, "Is vegan");
      expect(stated).toMatchObject({ id: inferred.id, trust: "stated", status: "active" });
      expect(await memory.get(user, inferred.id)).toEqual(stated);
    },

    "never lowers the trust or changes the user's statement": async ({ memory, user }) => {
      const stated = await memory.remember(user, "Is vegan", { tags: ["diet"], score: 0.3, key: "diet" });
      for (const trust of ["confirmed", "inferred", "external"] as const) {
        await memory.remember(user, "is vegan!", { trust, score: 1, tags: ["x"], key: "y" });
      }
      expect(await everything(memory, user)).toEqual([stated]);
    },

    "changes nothing without the user's word": async ({ memory, user }) => {
      const first = await memory.remember(user, "Might like jazz", { trust: "inferred", score: 0.5 });
      const trail = await memory.audit(user);
      for (let turn = 0; turn < 20; turn++) {
        await memory.remember(user, "might like jazz", { trust: "inferred", score: 1, tags: ["music"] });
      }
      expect(await everything(memory, user)).toEqual([first]);
      expect(await memory.audit(user)).toEqual(trail);
    },

    "makes a quarantined fact active only by the user's word": async ({ memory, user }) => {
      const waiting = await memory.remember(user, "Uses Acme bank", { trust: "external" });
      const inferred = await memory.remember(user, "Uses Acme bank", { trust: "inferred" });
      expect(inferred).toMatchObject({ id: waiting.id, status: "quarantined" });
      expect(await memory.recall(user, "bank")).toEqual([]);
      const stated = await memory.remember(user, "Uses Acme bank");
      expect(stated).toMatchObject({ id: waiting.id, status: "active", trust: "stated" });
      expect(stated).not.toHaveProperty("quarantine");
      expect(ids(await memory.recall(user, "bank"))).toEqual([waiting.id]);
    },

    "by 16 clients at the same time gives one fact": async ({ memory, another, user }) => {
      const second = await another();
      const all = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          (index % 2 === 0 ? memory : second).remember(user, "Likes tea"),
        ),
      );
      expect(new Set(ids(all)).size).toBe(1);
      expect(await everything(memory, user)).toHaveLength(1);
    },

    "a superseded fact adds a new fact": async ({ memory, user }) => {
      const rome = await memory.remember(user, "Lives in Rome", { key: "city" });
      await memory.remember(user, "Lives in Oslo", { key: "city" });
      const back = await memory.remember(user, "Lives in Rome", { key: "city" });
      expect(back.id).not.toBe(rome.id);
      expect((await memory.list(user)).map(lasting)).toEqual([lasting(back)]);
    },
  },
};
