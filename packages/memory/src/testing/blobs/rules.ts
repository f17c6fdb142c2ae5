import { hash } from "node:crypto";
import { expect } from "vitest";
import { expectError, expectInvalid, expectOk } from "../fixtures/expectations.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import {
  type BlobRules,
  bytesOf,
  expectBytes,
  expectNothing,
  listedAs,
  NO_HASH,
  newHold,
  putText,
  readText,
} from "./scenario.ts";

export const valueRules: BlobRules = {
  "returns every byte, as a copy for each reader": async ({ store, other }) => {
    const data = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31 + (at >> 8)) % 256);
    const { sha256, size } = expectOk(await store.put("c", data, newHold()));
    expect({ sha256, size }).toEqual({ sha256: hash("sha256", data, "hex"), size: 70_000 });
    for (const reader of [store, other]) {
      const read = expectOk(await reader.get("c", sha256));
      expectBytes(read, data);
      read?.fill(0);
    }
    expect(expectOk(await store.get("c", sha256))?.subarray(0, 3)).toEqual(data.subarray(0, 3));
  },
  "keeps the put bytes if the writer's array changes later": async ({ store }) => {
    const data = bytesOf("said");
    const putting = store.put("c", data, newHold());
    const { sha256 } = expectOk(await putting);
    data.fill(0);
    expect(await readText(store, "c", sha256)).toBe("said");
  },
  "accepts zero bytes": async ({ store }) => {
    const sha256 = await putText(store, "c", "");
    expect(await readText(store, "c", sha256)).toBe("");
    expect(await listedAs(store, "c", sha256)).toMatchObject([{ size: 0 }]);
  },
  "accepts a large blob": async ({ store, largestBytes }) => {
    const data = Buffer.alloc(largestBytes, "0123456789abcdef-");
    const { sha256 } = expectOk(await store.put("c", data, newHold()));
    const read = expectOk(await store.get("c", sha256));
    expectBytes(read, data);
    expect(await listedAs(store, "c", sha256)).toMatchObject([{ size: largestBytes }]);
  },
  "reports missing blobs as missing": async ({ store }) => {
    expect(expectOk(await store.get("c", NO_HASH))).toBeNull();
    expect(expectOk(await store.list("c"))).toEqual([]);
    expect(expectOk(await store.keep("c", [NO_HASH], newHold()))).toEqual([]);
    expect(expectOk(await store.remove("c", [{ sha256: NO_HASH, token: "t" }]))).toBe(0);
    expectOk(await store.release("c", [NO_HASH], "h"));
    await expectNothing(store, "c");
  },
};

export const isolationRules: BlobRules = {
  "shows no conversation another's blobs, by any id or hash": async ({ store }) => {
    const hashes = new Map<string, string>();
    for (const id of storableIds) hashes.set(id, await putText(store, id, `of ${JSON.stringify(id)}`));
    for (const [id, sha256] of hashes) {
      expect(expectOk(await store.list(id)).map((entry) => entry.sha256)).toEqual([sha256]);
      expect(await readText(store, id, sha256)).toBe(`of ${JSON.stringify(id)}`);
    }
    const [[first = "", own = ""] = [], [second = "", others = ""] = []] = [...hashes];
    expect(expectOk(await store.get(first, others))).toBeNull();
    expect(expectOk(await store.keep(first, [own, others], newHold()))).toEqual([own]);
    expect(expectOk(await store.remove(second, await listedAs(store, second, others)))).toBe(1);
    expect(await readText(store, first, own)).not.toBeNull();
  },
  "keeps the same bytes of two conversations apart": async ({ store }) => {
    const sha256 = await putText(store, "a", "same");
    await putText(store, "b", "same");
    expectOk(await store.remove("a", await listedAs(store, "a", sha256)));
    await expectNothing(store, "a");
    expect(await readText(store, "b", sha256)).toBe("same");
  },
};

export const refusalRules: BlobRules = {
  "refuses invalid ids, hashes, holds and bytes, with their path": async ({ store }) => {
    const hold = newHold();
    const put = (...given: readonly unknown[]) => Reflect.apply(store.put, undefined, given);
    for (const id of ["", "x".repeat(256), "\0", "\ud800", 5, undefined, null]) {
      await expectInvalid(() => put(id, bytesOf("1"), hold), "conversationId");
      await expectInvalid(() => Reflect.apply(store.list, undefined, [id]), "conversationId");
    }
    for (const data of ["text", [1], undefined, new ArrayBuffer(1)]) {
      await expectInvalid(() => put("c", data, hold), "data");
    }
    await expectInvalid(() => put("c", bytesOf("1"), undefined), "hold");
    await expectInvalid(() => put("c", bytesOf("1"), { id: "", seconds: 1 }), "hold.id");
    await expectInvalid(() => put("c", bytesOf("1"), { id: "h" }), "hold.seconds");
    for (const sha256 of ["", "a", "A".repeat(64), "../".repeat(21), `${NO_HASH}0`]) {
      await expectInvalid(() => store.get("c", sha256), "sha256");
      await expectInvalid(() => store.keep("c", [NO_HASH, sha256], hold), "hashes[1]");
      await expectInvalid(() => store.remove("c", [{ sha256, token: "t" }]), "blobs[0].sha256");
    }
    await expectInvalid(() => store.due(0, 0), "limit");
    await expectInvalid(() => store.due(1, -1), "idleSeconds");
    await expectNothing(store, "c");
  },
  "fails after close, and closes twice": async ({ store }) => {
    const sha256 = await putText(store, "c", "1");
    expectOk(await store.close());
    expectOk(await store.close());
    const late = [store.get("c", sha256), store.put("c", bytesOf("2"), newHold()), store.list("c")];
    for (const result of await Promise.all(late)) {
      expect(expectError(result, "MemoryConnectionError").retryable).toBe(false);
    }
  },
};
