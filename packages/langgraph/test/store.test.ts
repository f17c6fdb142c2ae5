import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { rankTexts } from "@jaf/user-memory";
import type { BaseStore, Operation } from "@langchain/langgraph-checkpoint";
import { expect, it, vi } from "vitest";
import { createStore } from "../src/index.ts";

const open = (provider: MemoryProvider = createInMemoryProvider()): BaseStore =>
  createStore({ provider, userId: "ada", rank: rankTexts });

const keysOf = (items: readonly { readonly key: string }[]) => items.map(({ key }) => key);

it("puts, gets, replaces and deletes documents, and keeps the time of their creation", async () => {
  const store = open();
  expect(await store.get(["a"], "k")).toBeNull();
  await store.put(["a"], "k", { n: 1, list: [{ x: null }] });
  const first = await store.get(["a"], "k");
  expect(first).toMatchObject({ namespace: ["a"], key: "k", value: { n: 1, list: [{ x: null }] } });
  // Graphs change what they read.
  first?.value["list"].push(1);
  await store.put(["a"], "k", { n: 2 });
  const second = await store.get(["a"], "k");
  expect(second?.value).toEqual({ n: 2 });
  expect(second?.createdAt).toEqual(first?.createdAt);
  await store.delete(["a"], "k");
  expect(await store.get(["a"], "k")).toBeNull();
  expect(await store.listNamespaces()).toEqual([]);
});

it("searches by prefix, filter and pages, the last written first", async () => {
  const store = open();
  for (let n = 0; n < 5; n++)
    await store.put(["docs", `${n % 2}`], `k${n}`, { n, tag: n > 2 ? "new" : "old" });
  await store.put(["other"], "k9", { n: 9 });
  expect(keysOf(await store.search(["docs"]))).toHaveLength(5);
  expect(keysOf(await store.search(["docs", "1"]))).toEqual(expect.arrayContaining(["k1", "k3"]));
  expect(keysOf(await store.search(["docs"], { filter: { tag: "new" } })).sort()).toEqual(["k3", "k4"]);
  expect(keysOf(await store.search([], { filter: { n: { $gte: 3, $ne: 9 } } })).sort()).toEqual(["k3", "k4"]);
  expect(keysOf(await store.search([], { filter: { n: { $in: [1, 9] } } })).sort()).toEqual(["k1", "k9"]);
  expect(keysOf(await store.search([], { filter: { missing: undefined, n: 9 } }))).toEqual(["k9"]);
  const pages = [
    await store.search(["docs"], { limit: 3 }),
    await store.search(["docs"], { limit: 3, offset: 3 }),
  ];
  expect(keysOf(pages.flat()).sort()).toEqual(["k0", "k1", "k2", "k3", "k4"]);
});

it("reads all documents for a query only", async () => {
  const provider = createInMemoryProvider({ maxConversations: 1_000 });
  const store = open(provider);
  await Promise.all(Array.from({ length: 250 }, (_, n) => store.put(["docs"], `k${n}`, { text: "tea" })));
  const find = vi.spyOn(provider, "findConversations");
  expect(await open(provider).search(["docs"], { limit: 10, offset: 5 })).toHaveLength(10);
  expect(find).toHaveBeenCalledTimes(1);
  expect(await open(provider).search(["docs"], { limit: 10, query: "tea" })).toHaveLength(10);
  expect(find).toHaveBeenCalledTimes(3);
});

it("ranks by a query, respects which fields are indexed, and refuses a query that nothing can rank", async () => {
  const provider = createInMemoryProvider();
  const store = open(provider);
  await store.put(["m"], "diet", { text: "Is allergic to nuts.", by: { name: "Oslo" } });
  await store.put(["m"], "home", { text: "Lives in Oslo." });
  await store.put(["m"], "secret", { text: "Oslo, but not to be found." }, false);
  await store.put(["m"], "title", { title: "Oslo", text: "nuts" }, ["title"]);
  expect(keysOf(await store.search(["m"], { query: "Which allergies are there? nuts" }))).toEqual(["diet"]);
  const found = await store.search(["m"], { query: "Oslo" });
  expect(keysOf(found).sort()).toEqual(["diet", "home", "title"]);
  expect(found[0]?.score).toBeGreaterThan(0);
  await expect(createStore({ provider, userId: "ada" }).search(["m"], { query: "Oslo" })).rejects.toThrow(
    "rank",
  );
});

it("finds nothing of other labels by a label that is a wildcard in lists", async () => {
  const store = open();
  await store.put(["memories", "alice"], "k", { of: "alice" });
  await store.put(["memories", "*"], "k", { of: "*" });
  expect((await store.search(["memories", "*"])).map(({ value }) => value)).toEqual([{ of: "*" }]);
  expect(await store.search(["memories", "alice", "*"])).toEqual([]);
});

it("lists namespaces by prefix, suffix, wildcard and depth", async () => {
  const store = open();
  for (const namespace of [["a", "b", "v1"], ["a", "c", "v1"], ["a", "c", "v2"], ["d"]]) {
    await store.put(namespace, "k", {});
    await store.put(namespace, "k2", {});
  }
  expect(await store.listNamespaces()).toHaveLength(4);
  expect(await store.listNamespaces({ prefix: ["a", "*", "v1"] })).toEqual([
    ["a", "b", "v1"],
    ["a", "c", "v1"],
  ]);
  expect(await store.listNamespaces({ suffix: ["v2"] })).toEqual([["a", "c", "v2"]]);
  expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([["a"], ["d"]]);
  expect(await store.listNamespaces({ limit: 1, offset: 1 })).toEqual([["a", "c", "v1"]]);
});

it("makes a batch's reads before its puts, of which the last one of a document counts", async () => {
  const store = open();
  const operations: Operation[] = [
    { namespace: ["a"], key: "k" },
    { namespace: ["a"], key: "k", value: { n: 1 } },
    { namespace: ["a"], key: "k", value: { n: 2 } },
  ];
  const [before] = await store.batch(operations);
  expect(before).toBeNull();
  expect((await store.get(["a"], "k"))?.value).toEqual({ n: 2 });
});

it("keeps users apart, isn't in lists of conversations, and is erased with the user", async () => {
  const provider = createInMemoryProvider();
  const [adas, bobs] = [open(provider), createStore({ provider, userId: "bob" })];
  const early = open(provider);
  expect(await early.listNamespaces()).toEqual([]);
  await adas.put(["a"], "k", { of: "ada" });
  await bobs.put(["a"], "k", { of: "bob" });
  expect((await adas.get(["a"], "k"))?.value).toEqual({ of: "ada" });
  expect(await bobs.search([])).toHaveLength(1);
  const listed = await provider.findConversations({ userId: "ada" });
  expect(listed.success && listed.data.flatMap(({ messages }) => messages)).toEqual([]);
  await provider.clearUserConversations("ada");
  expect(await adas.get(["a"], "k")).toBeNull();
  expect(await adas.search([])).toEqual([]);
  // What a run stores that began before the erasure.
  for (const key of ["k", "k", "other"]) {
    await expect(adas.put(["a"], key, { of: "before" })).rejects.toMatchObject({
      memoryError: { _tag: "MemoryConflictError", reason: "incarnation" },
    });
  }
  expect(await open(provider).search([])).toEqual([]);
  const later = open(provider);
  await later.put(["a"], "k", { of: "after" });
  expect((await later.get(["a"], "k"))?.value).toEqual({ of: "after" });
  // A run that saw no documents before the erasure.
  await expect(early.put(["a"], "k", { of: "before" })).rejects.toMatchObject({
    memoryError: { _tag: "MemoryConflictError", reason: "incarnation" },
  });
  expect((await bobs.get(["a"], "k"))?.value).toEqual({ of: "bob" });
});

it("keeps hostile names apart", async () => {
  const store = open();
  const names = [
    ["*", "%"],
    ["{}", "__proto__"],
    ["a b", "c"],
    ["a", "b c"],
    ["é", "x".repeat(2_000)],
  ] as const;
  for (const [label, key] of names) await store.put([label], key, { __proto__: 1, label, key });
  for (const [label, key] of names) expect((await store.get([label], key))?.value["key"]).toBe(key);
  await expect(store.put(["a"], "k", { bad: Number.NaN })).rejects.toMatchObject({ name: "MemoryCallError" });
});
