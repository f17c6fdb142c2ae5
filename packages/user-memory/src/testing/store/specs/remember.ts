import { expect } from "vitest";
import { expectRefusal, ids, texts } from "../expectations.ts";
import type { StoreSpec } from "../spec.ts";

const at = (text: string) => new Date(text);

export const remember: StoreSpec = {
  subject: "remember",
  rules: {
    "stores a fact as stated, valid from now": async ({ memory, user }) => {
      const before = Date.now();
      const fact = await memory.remember(user, "Project name is Foo");
      expect(fact).toMatchObject({
        ...{ id: expect.stringMatching(/./), userId: user, fact: "Project name is Foo" },
        ...{ trust: "stated", status: "active", createdAt: expect.any(Date), provenance: {} },
      });
      expect(fact.createdAt.getTime()).toBeGreaterThanOrEqual(before);
      expect(fact.validFrom).toEqual(fact.createdAt);
      for (const absent of [
        "tags",
        "score",
        "updatedAt",
        "key",
        "validUntil",
        "supersededBy",
        "quarantine",
      ]) {
        expect(fact, absent).not.toHaveProperty(absent);
      }
      expect(await memory.get(user, fact.id)).toEqual(fact);
    },

    "stores all options": async ({ memory, user }) => {
      const provenance = {
        ...{ conversationId: "c", position: 0, messageId: "m", author: "Ann", extractor: "small-model" },
        ...{ evidence: "I moved to Lisbon in May", saidAt: at("2024-05-02T10:00:00.123Z") },
      };
      const options = {
        ...({ tags: ["home", "city"], score: 0.1, trust: "inferred", key: "home-city", provenance } as const),
        ...{ validFrom: at("2024-05-01"), validUntil: at("2040-01-01") },
      };
      const fact = await memory.remember(user, "Lives in Lisbon", options);
      expect(fact).toMatchObject({ fact: "Lives in Lisbon", status: "active", ...options });
      expect(await memory.list(user)).toEqual([fact]);
    },

    "uses saidAt as validFrom by default": async ({ memory, user }) => {
      const saidAt = at("2023-03-04T05:06:07Z");
      const fact = await memory.remember(user, "Has a cat", { provenance: { saidAt } });
      expect(fact.validFrom).toEqual(saidAt);
    },

    "stores the text unchanged": async ({ memory, user }) => {
      const facts = [
        " spaces  within ",
        "line\nbreak",
        "日本語が好き",
        "👩‍👩‍👧 e\u0301 é",
        '{"a":1}',
        "a".repeat(2_000),
      ];
      for (const fact of facts) await memory.remember(user, fact);
      expect(texts(await memory.list(user)).toReversed()).toEqual(facts);
    },

    "gives each fact its own id, also equal facts of two users": async ({ memory, user, other }) => {
      const facts = [
        await memory.remember(user, "Likes tea"),
        await memory.remember(user, "Likes coffee"),
        await memory.remember(other, "Likes tea"),
      ];
      expect(new Set(ids(facts)).size).toBe(3);
      expect(texts(await memory.list(other))).toEqual(["Likes tea"]);
    },

    "quarantines external facts": async ({ memory, user }) => {
      const fact = await memory.remember(user, "The bank is Acme", { trust: "external" });
      expect(fact).toMatchObject({ status: "quarantined", quarantine: "external", trust: "external" });
      expect(await memory.recall(user, "bank")).toEqual([]);
      expect(await memory.list(user)).toEqual([]);
      expect(await memory.review.list(user)).toEqual([fact]);
    },

    "quarantines a fact for the given reason": async ({ memory, user }) => {
      const options = { trust: "inferred", quarantine: "rate" } as const;
      const fact = await memory.remember(user, "Owns a zebra", options);
      expect(fact).toMatchObject({ status: "quarantined", quarantine: "rate", trust: "inferred" });
      expect(await memory.remember(user, "Owns a zebra", { trust: "inferred" })).toEqual(fact);
      expect(await memory.recall(user, "zebra")).toEqual([]);
    },

    "stores a repeated tag once": async ({ memory, user }) => {
      const { tags } = await memory.remember(user, "Likes tea", { tags: ["b", "a", "b"] });
      expect(tags).toEqual(["b", "a"]);
    },

    "refuses invalid input and names the field without its value": async ({ memory, user }) => {
      const secret = "zebra-secret";
      const wrong: readonly (readonly [unknown, unknown, RegExp])[] = [
        ["", {}, /fact/],
        [" \n ", {}, /fact/],
        [`${secret}\0`, {}, /fact/],
        [`${secret}\ud800`, {}, /fact/],
        [null, {}, /fact/],
        [7, {}, /fact/],
        [`${secret}${"x".repeat(2_000)}`, {}, /fact/],
        [secret, { score: 1.5 }, /score/],
        [secret, { score: Number.NaN }, /score/],
        [secret, { score: "1" }, /score/],
        [secret, { tags: [""] }, /tags/],
        [secret, { tags: secret }, /tags/],
        [secret, { tags: [`${secret}${"x".repeat(64)}`] }, /tags/],
        [secret, { tags: Array.from({ length: 33 }, (_, index) => `${secret}${index}`) }, /tags/],
        [secret, { trust: secret }, /trust/],
        [secret, { key: "" }, /key/],
        [secret, { key: `${secret}\0` }, /key/],
        [secret, { provenance: { position: -1 } }, /position/],
        [secret, { provenance: { position: 0.5 } }, /position/],
        [secret, { provenance: { saidAt: 5 } }, /saidAt/],
        [secret, { validFrom: "2020" }, /validFrom/],
        [secret, { [secret]: 1 }, /options/],
      ];
      for (const [fact, options, named] of wrong) {
        const call = memory.remember(user, fact as string, options as object);
        const { message, retryable } = await expectRefusal(call, "invalid", secret);
        expect(message).toMatch(named);
        expect(retryable).toBe(false);
      }
      expect(await memory.list(user)).toEqual([]);
      expect(await memory.audit(user)).toEqual([]);
    },
  },
};
