import { expect } from "vitest";
import { expectRefusal, ids, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

export const recall: StoreSpec = {
  subject: "recall",
  rules: {
    "finds facts by any common word, in any case and form, best first": async ({ memory, user }) => {
      await memory.remember(user, "Owns a red bicycle");
      await memory.remember(user, "Runs every morning before work");
      await memory.remember(user, "Repairs bicycles at work");
      expect(texts(await memory.recall(user, "Where does she REPAIR a bicycle?"))).toEqual([
        "Repairs bicycles at work",
        "Owns a red bicycle",
      ]);
      expect(texts(await memory.recall(user, "running"))).toEqual(["Runs every morning before work"]);
      expect(await memory.recall(user, "zebra")).toEqual([]);
    },

    "finds facts by their evidence": async ({ memory, user }) => {
      const provenance = { evidence: "We deploy the thing on fly.io, in the Warsaw region" };
      const fact = await memory.remember(user, "Project Foo has a hosting provider", { provenance });
      expect(ids(await memory.recall(user, "warsaw"))).toEqual([fact.id]);
    },

    "finds facts in other scripts": async ({ memory, user }) => {
      const facts = ["Живёт в Москве", "東京に住んでいる", "يحب القهوة", "Μένει στην Αθήνα"];
      for (const fact of facts) await memory.remember(user, fact);
      for (const [query, fact] of [
        ["Москве", facts[0]],
        ["東京", facts[1]],
        ["القهوة", facts[2]],
        ["Αθήνα", facts[3]],
      ]) {
        expect(texts(await memory.recall(user, query ?? ""))).toEqual([fact]);
      }
    },

    "finds facts by the conversation before the query, behind those with a word of the query": async ({
      memory,
      user,
    }) => {
      await memory.remember(user, "The flat in Oslo has a balcony");
      await memory.remember(user, "The cellar is dry");
      const context = ["zebra", "Tell me about the flat.", "It is in Oslo."];
      expect(texts(await memory.recall(user, "And the cellar?", { context }))).toEqual([
        "The cellar is dry",
        "The flat in Oslo has a balcony",
      ]);
      expect(await memory.recall(user, "And the other one?")).toEqual([]);
      expect(await memory.recall(user, "And the other one?", { context })).toHaveLength(1);
      expect(await memory.recall(user, "Thanks!", { context })).toEqual([]);
    },

    "finds nothing for a query without words": async ({ memory, user }) => {
      await memory.remember(user, "Likes tea");
      for (const query of ["", " ", "?!", "\n", "the of and", "*", "%", "'"]) {
        expect(await memory.recall(user, query), query).toEqual([]);
      }
    },

    "returns 10 facts, or the given limit": async ({ memory, user }) => {
      for (let index = 0; index < 15; index++) await memory.remember(user, `Likes tea number ${index}`);
      expect(await memory.recall(user, "tea")).toHaveLength(10);
      for (const limit of [0, 1, 14, 15, 100, 1_000_000]) {
        expect(await memory.recall(user, "tea", { limit })).toHaveLength(Math.min(limit, 15));
      }
      expect(texts(await memory.recall(user, "tea", { limit: 3 }))).toEqual(
        texts(await memory.recall(user, "tea")).slice(0, 3),
      );
    },

    "returns facts with at least one of the tags": async ({ memory, user }) => {
      await memory.remember(user, "Likes tea", { tags: ["food", "home"] });
      await memory.remember(user, "Drinks tea at work", { tags: ["work"] });
      await memory.remember(user, "Sells tea");
      const tagged = async (...tags: readonly string[]) =>
        texts(await memory.recall(user, "tea", { tags })).toSorted();
      expect(await tagged("food")).toEqual(["Likes tea"]);
      expect(await tagged("work", "home")).toEqual(["Drinks tea at work", "Likes tea"]);
      expect(await tagged("none")).toEqual([]);
      expect(await tagged()).toEqual([]);
    },

    "finds a tagged fact among many with another tag": async ({ memory, user }) => {
      await memory.remember(user, "Tea", {
        tags: ["rare"],
        provenance: { evidence: "something else entirely" },
      });
      for (let index = 0; index < 70; index++) {
        await memory.remember(user, `Tea tea tea ${index}`, { tags: ["common"] });
      }
      expect(texts(await memory.recall(user, "tea", { tags: ["rare"], limit: 5 }))).toEqual(["Tea"]);
    },

    "excludes facts below the minimum trust": async ({ memory, user }) => {
      await memory.remember(user, "Likes green tea");
      await memory.remember(user, "Likes black tea", { trust: "confirmed" });
      await memory.remember(user, "Likes white tea", { trust: "inferred" });
      const trusted = async (minTrust?: "stated" | "confirmed" | "inferred" | "external") =>
        texts(await memory.recall(user, "tea", { minTrust })).toSorted();
      expect(await trusted("stated")).toEqual(["Likes green tea"]);
      expect(await trusted("confirmed")).toEqual(["Likes black tea", "Likes green tea"]);
      const all = ["Likes black tea", "Likes green tea", "Likes white tea"];
      expect(await trusted("inferred")).toEqual(all);
      expect(await trusted()).toEqual(all);
    },

    "reflects each change immediately, in every process": async ({ memory, another, user }) => {
      const second = await another();
      const fact = await memory.remember(user, "Likes tea");
      expect(ids(await second.recall(user, "tea"))).toEqual([fact.id]);
      await second.update(user, fact.id, { fact: "Likes coffee" });
      expect(await memory.recall(user, "tea")).toEqual([]);
      expect(ids(await memory.recall(user, "coffee"))).toEqual([fact.id]);
      await memory.forget(user, fact.id);
      expect(await second.recall(user, "coffee")).toEqual([]);
    },

    "returns the same result for the same query": async ({ memory, another, user }) => {
      for (let index = 0; index < 30; index++) {
        const provenance = {
          conversationId: `c${index % 3}`,
          position: index,
          saidAt: new Date(1.6e12 + index),
        };
        await memory.remember(user, `Said ${index % 7} things about tea`, { provenance: { ...provenance } });
        await memory.remember(user, `Thing ${index} is about tea`, { provenance });
      }
      const first = await memory.recall(user, "things about tea", { limit: 20 });
      const second = await (await another()).recall(user, "things about tea", { limit: 20 });
      expect(ids(second)).toEqual(ids(first));
    },

    "refuses invalid queries and options": async ({ memory, user }) => {
      await expectRefusal(memory.recall(user, 5 as unknown as string), "invalid");
      const options = [
        ...[
          { limit: -1 },
          { limit: 0.5 },
          { limit: Number.NaN },
          { limit: "5" },
          { tags: "zebra" },
          { tags: [5] },
        ],
        ...[
          { minTrust: "zebra" },
          { asOf: 5 },
          { context: "zebra" },
          { context: [5] },
          { zebra: 1 },
          { status: "quarantined" },
        ],
      ];
      for (const option of options) {
        await expectRefusal(memory.recall(user, "zebra", option as object), "invalid", "zebra");
      }
    },
  },
};
