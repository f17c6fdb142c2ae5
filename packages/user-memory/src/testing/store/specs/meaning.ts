import { expect } from "vitest";
import type { Embed } from "../../../options.ts";
import { ids } from "../expectations.ts";
import type { StoreCheck, StoreScenario, StoreSpec } from "../spec.ts";

const VECTORS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/snorble|wumpet|glim/i, [1, 0, 0]],
  [/gronk|flarn/i, [0, 1, 0]],
];

const embed: Embed = async (texts) =>
  texts.map((text) => VECTORS.find(([words]) => words.test(text))?.[1] ?? [0, 0, 1]);

/** Returns a rule for stores whose backend stores vectors. All other stores pass the rule. */
const withVectors =
  (check: (scenario: StoreScenario) => Promise<void>): StoreCheck =>
  async (scenario) => {
    if (scenario.backend.nearest !== undefined) await check(scenario);
  };

export const meaning: StoreSpec = {
  subject: "recall by meaning",
  rules: {
    "finds facts without a common word": withVectors(async ({ memory, withOptions, user }) => {
      const semantic = withOptions({ embed });
      const snorble = await semantic.remember(user, "Has a snorble");
      await semantic.remember(user, "Has a gronk");
      expect(ids(await semantic.recall(user, "wumpet"))).toEqual([snorble.id]);
      expect(await memory.recall(user, "wumpet"), "without embed").toEqual([]);
      const explained = await semantic.explain(user, snorble.id, "wumpet");
      expect(explained?.reasons).toEqual([expect.objectContaining({ kind: "meaning" })]);
    }),

    "finds facts by words and by meaning": withVectors(async ({ withOptions, user }) => {
      const semantic = withOptions({ embed });
      const snorble = await semantic.remember(user, "Has a snorble");
      const tea = await semantic.remember(user, "Gives the animal tea");
      const found = await semantic.recall(user, "wumpet tea");
      expect(ids(found).toSorted()).toEqual([snorble.id, tea.id].toSorted());
    }),

    "updates the vector when the fact is deleted, changed or quarantined": withVectors(
      async ({ withOptions, user }) => {
        const semantic = withOptions({ embed });
        const [snorble, gronk] = [
          await semantic.remember(user, "Has a snorble"),
          await semantic.remember(user, "Has a gronk"),
        ];
        await semantic.update(user, snorble.id, { fact: "Has a bird" });
        expect(await semantic.recall(user, "wumpet")).toEqual([]);
        expect(await semantic.forget(user, gronk.id)).toMatchObject({ facts: 1, vectors: 1 });
        expect(await semantic.recall(user, "flarn")).toEqual([]);
        const waiting = await semantic.remember(user, "Wants a wumpet", { trust: "external" });
        expect(await semantic.recall(user, "glim")).toEqual([]);
        await semantic.review.approve(user, waiting.id);
        expect(ids(await semantic.recall(user, "glim"))).toEqual([waiting.id]);
        expect(await semantic.forgetAll(user)).toMatchObject({ facts: 2, vectors: 2 });
        expect(await semantic.recall(user, "glim")).toEqual([]);
      },
    ),

    "finds no other user's facts": withVectors(async ({ withOptions, user, other }) => {
      const semantic = withOptions({ embed });
      await semantic.remember(other, "Has a snorble");
      expect(await semantic.recall(user, "wumpet")).toEqual([]);
    }),

    "applies trust, tags and time": withVectors(async ({ withOptions, user }) => {
      const semantic = withOptions({ embed });
      const options = { trust: "inferred", tags: ["home"] } as const;
      await semantic.remember(user, "Has a snorble", { ...options, validFrom: new Date("2020-01-01") });
      expect(await semantic.recall(user, "wumpet", { minTrust: "confirmed" })).toEqual([]);
      expect(await semantic.recall(user, "wumpet", { tags: ["work"] })).toEqual([]);
      expect(await semantic.recall(user, "wumpet", { asOf: new Date("2019-01-01") })).toEqual([]);
      expect(await semantic.recall(user, "wumpet", { tags: ["home"] })).toHaveLength(1);
    }),

    "reports a failure without content, and words still find facts": async ({ withOptions, user }) => {
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
