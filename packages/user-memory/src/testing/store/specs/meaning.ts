import { expect } from "vitest";
import type { Embed } from "../../../options.ts";
import { ids } from "../expectations.ts";
import type { StoreCheck, StoreScenario, StoreSpec } from "../spec.ts";

const VECTORS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/dog|puppy|pet/i, [1, 0, 0]],
  [/car|drive/i, [0, 1, 0]],
];

const embed: Embed = async (texts) =>
  texts.map((text) => VECTORS.find(([words]) => words.test(text))?.[1] ?? [0, 0, 1]);

/** A rule for stores whose backend keeps vectors. */
const withVectors =
  (check: (scenario: StoreScenario) => Promise<void>): StoreCheck =>
  async (scenario) => {
    if (scenario.backend.nearest !== undefined) await check(scenario);
  };

export const meaning: StoreSpec = {
  subject: "recall by meaning",
  rules: {
    "finds what shares no word with the query": withVectors(async ({ memory, withOptions, user }) => {
      const semantic = withOptions({ embed });
      const dog = await semantic.remember(user, "Has a dog");
      await semantic.remember(user, "Drives to work");
      expect(ids(await semantic.recall(user, "puppy"))).toEqual([dog.id]);
      expect(await memory.recall(user, "puppy"), "without embed").toEqual([]);
      const explained = await semantic.explain(user, dog.id, "puppy");
      expect(explained?.reasons).toEqual([expect.objectContaining({ kind: "meaning" })]);
    }),

    "finds by words and by meaning together": withVectors(async ({ withOptions, user }) => {
      const semantic = withOptions({ embed });
      const dog = await semantic.remember(user, "Has a dog");
      const tea = await semantic.remember(user, "Gives the animal tea");
      const found = await semantic.recall(user, "puppy tea");
      expect(ids(found).toSorted()).toEqual([dog.id, tea.id].toSorted());
    }),

    "takes a vector along when the fact goes, changes or waits": withVectors(
      async ({ withOptions, user }) => {
        const semantic = withOptions({ embed });
        const [dog, car] = [
          await semantic.remember(user, "Has a dog"),
          await semantic.remember(user, "Has a car"),
        ];
        await semantic.update(user, dog.id, { fact: "Has a canary" });
        expect(await semantic.recall(user, "puppy")).toEqual([]);
        expect(await semantic.forget(user, car.id)).toMatchObject({ facts: 1, vectors: 1 });
        expect(await semantic.recall(user, "driving")).toEqual([]);
        const waiting = await semantic.remember(user, "Wants a puppy", { trust: "external" });
        expect(await semantic.recall(user, "pets")).toEqual([]);
        await semantic.review.approve(user, waiting.id);
        expect(ids(await semantic.recall(user, "pets"))).toEqual([waiting.id]);
        expect(await semantic.forgetAll(user)).toMatchObject({ facts: 2, vectors: 2 });
        expect(await semantic.recall(user, "pets")).toEqual([]);
      },
    ),

    "finds no other user's facts": withVectors(async ({ withOptions, user, other }) => {
      const semantic = withOptions({ embed });
      await semantic.remember(other, "Has a dog");
      expect(await semantic.recall(user, "puppy")).toEqual([]);
    }),

    "obeys trust, tags and time": withVectors(async ({ withOptions, user }) => {
      const semantic = withOptions({ embed });
      const options = { trust: "inferred", tags: ["home"] } as const;
      await semantic.remember(user, "Has a dog", { ...options, validFrom: new Date("2020-01-01") });
      expect(await semantic.recall(user, "puppy", { minTrust: "confirmed" })).toEqual([]);
      expect(await semantic.recall(user, "puppy", { tags: ["work"] })).toEqual([]);
      expect(await semantic.recall(user, "puppy", { asOf: new Date("2019-01-01") })).toEqual([]);
      expect(await semantic.recall(user, "puppy", { tags: ["home"] })).toHaveLength(1);
    }),

    "that fails is told, without a word of it, and words still find": async ({ withOptions, user }) => {
      const failures: readonly unknown[] = [
        () => Promise.reject(new Error("zebra")),
        async () => [],
        async () => [[Number.NaN]],
        async () => [["zebra"]],
        async () => null,
        () => new Promise<never>(() => {}),
      ];
      for (const [index, failing] of failures.entries()) {
        const told: Error[] = [];
        const onError = (error: Error) => void told.push(error);
        const semantic = withOptions({ embed: failing as Embed, embedTimeoutMs: 20, onError });
        const fact = await semantic.remember(user, `Likes zebra number ${index}`);
        expect(ids(await semantic.recall(user, `number ${index}`, { limit: 1 }))).toEqual([fact.id]);
        expect(told.length).toBeGreaterThan(0);
        for (const error of told) {
          expect(error).toMatchObject({ code: "embedding" });
          expect(`${error.message} ${JSON.stringify(error.cause)}`).not.toContain("zebra");
        }
      }
    },
  },
};
