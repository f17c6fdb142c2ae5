import { describe, expect, it } from "vitest";
import { type BlobStore, createInMemoryBlobStore } from "../../src/index.ts";
import { dueRules, erasureRules, holdRules } from "../../src/testing/blobs/erasure-rules.ts";
import { isolationRules, refusalRules, valueRules } from "../../src/testing/blobs/rules.ts";
import type { BlobScenario } from "../../src/testing/blobs/scenario.ts";

const rules = {
  ...valueRules,
  ...isolationRules,
  ...erasureRules,
  ...holdRules,
  ...dueRules,
  ...refusalRules,
};

type Broken = (store: BlobStore) => Partial<BlobStore>;

/** Mistakes of an adapter, and a rule that finds each. */
const mistakes: Readonly<Record<string, readonly [rule: keyof typeof rules, broken: Broken]>> = {
  "removes whatever the token is": [
    "keeps a blob that was put again since the listing",
    (store) => ({
      remove: async (id) => {
        const listed = await store.list(id);
        return store.remove(id, listed.success ? listed.data : []);
      },
    }),
  ],
  "keeps without another token": [
    "keeps a blob that was kept since the listing",
    (store) => ({
      keep: async (id, hashes) => {
        const listed = await store.list(id);
        const there = listed.success ? listed.data.map(({ sha256 }) => sha256) : [];
        return { success: true, data: hashes.filter((sha256) => there.includes(sha256)) };
      },
    }),
  ],
  "counts on from a token that there was before": [
    "keeps a blob that was removed and put again since the listing",
    (store) => ({ put: (id, data, hold) => store.put(id, data, { ...hold, id: "always the same" }) }),
  ],
  "shares blobs between conversations": [
    "shows no conversation another's blobs, by any id or hash",
    (store) => ({
      put: (_, data, hold) => store.put("all", data, hold),
      release: (_, hashes, holdId) => store.release("all", hashes, holdId),
      list: () => store.list("all"),
      get: (_, sha256) => store.get("all", sha256),
    }),
  ],
  "compares ids without regard to case": [
    "shows no conversation another's blobs, by any id or hash",
    (store) => ({
      put: (id, data, hold) => store.put(id.toLowerCase(), data, hold),
      list: (id) => store.list(id.toLowerCase()),
      get: (id, sha256) => store.get(id.toLowerCase(), sha256),
    }),
  ],
  "holds nothing": [
    "is held immediately, by each writer separately",
    (store) => ({
      put: async (id, data, hold) => {
        const put = await store.put(id, data, hold);
        if (put.success) await store.release(id, [put.data.sha256], hold.id);
        return put;
      },
    }),
  ],
  "holds for ever": [
    "is held no longer than the hold says",
    (store) => ({ put: (id, data, hold) => store.put(id, data, { ...hold, seconds: 1_000 }) }),
  ],
  "returns the same conversations each time": [
    "returns each conversation in turn, longest waiting first",
    () => ({ due: async (limit) => ({ success: true, data: ["a", "b", "c"].slice(0, limit) }) }),
  ],
  "leaves a conversation on its list": [
    "removes unchanged blobs completely",
    () => ({ due: async () => ({ success: true, data: ["c"] }) }),
  ],
  "truncates long blobs": [
    "accepts a large blob",
    (store) => ({ put: (id, data, hold) => store.put(id, data.subarray(0, 1_000), hold) }),
  ],
  "continues after close": [
    "fails after close, and closes twice",
    () => ({ close: async () => ({ success: true, data: undefined }) }),
  ],
};

const scenario = (store: BlobStore): BlobScenario => ({ store, other: store, largestBytes: 100_000 });

describe("the kit for blob stores", () => {
  it.each(Object.entries(mistakes))("finds a store that %s", async (_, [rule, broken]) => {
    const store = createInMemoryBlobStore();
    await expect(rules[rule]?.(scenario({ ...store, ...broken(store) }))).rejects.toThrow();
  });
});
