import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import {
  type BlobRules,
  expectNothing,
  isHeld,
  listedAs,
  NO_HASH,
  newHold,
  putText,
  readText,
} from "./scenario.ts";

export const erasureRules: BlobRules = {
  "removes unchanged blobs completely": async ({ store, other }) => {
    const [gone, stays] = [await putText(store, "c", "1"), await putText(store, "c", "2")];
    expect(expectOk(await other.remove("c", await listedAs(other, "c", gone)))).toBe(1);
    expect(await readText(store, "c", gone)).toBeNull();
    expect(await readText(store, "c", stays)).toBe("2");
    expect(expectOk(await store.list("c")).map(({ sha256 }) => sha256)).toEqual([stays]);
    expectOk(await store.remove("c", await listedAs(store, "c", stays)));
    await expectNothing(store, "c");
    await expectNothing(other, "c");
  },
  "keeps a blob that was put again since the listing": async ({ store, other }) => {
    const sha256 = await putText(store, "c", "1");
    const listed = await listedAs(store, "c", sha256);
    await putText(other, "c", "1");
    await store.remove("c", listed);
    expect(await readText(store, "c", sha256)).toBe("1");
  },
  "keeps a blob that was kept since the listing": async ({ store, other }) => {
    const sha256 = await putText(store, "c", "1");
    const listed = await listedAs(store, "c", sha256);
    const hold = newHold();
    expect(expectOk(await other.keep("c", [sha256], hold))).toEqual([sha256]);
    expectOk(await other.release("c", [sha256], hold.id));
    await store.remove("c", listed);
    expect(await readText(store, "c", sha256)).toBe("1");
  },
  "keeps a blob that was removed and put again since the listing": async ({ store, other }) => {
    const sha256 = await putText(store, "c", "1");
    const listed = await listedAs(store, "c", sha256);
    expectOk(await other.remove("c", listed));
    await putText(other, "c", "1");
    await store.remove("c", listed);
    expect(await readText(store, "c", sha256)).toBe("1");
  },
  "loses no blob to removals during writes": async ({ store, other }) => {
    const write = async () => {
      for (let round = 0; round < 10; round++) {
        const hold = newHold();
        const sha256 = await putText(store, "c", "shared", hold);
        await new Promise((resolve) => setTimeout(resolve, 1));
        expect(await readText(store, "c", sha256), "while it is held").toBe("shared");
        expectOk(await store.release("c", [sha256], hold.id));
      }
    };
    let writing = true;
    const collect = async () => {
      while (writing) {
        const listed = expectOk(await other.list("c"));
        if (!listed.some(({ held }) => held)) expectOk(await other.remove("c", listed));
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    };
    const collecting = Promise.all([collect(), collect()]);
    try {
      await Promise.all([write(), write(), write()]);
    } finally {
      writing = false;
    }
    await collecting;
  },
};

export const holdRules: BlobRules = {
  "is held immediately, by each writer separately": async ({ store, other }) => {
    const [first, second] = [newHold(), newHold()];
    const sha256 = await putText(store, "c", "1", first);
    await putText(other, "c", "1", second);
    expect(await isHeld(other, "c", sha256)).toBe(true);
    expectOk(await store.release("c", [sha256], first.id));
    expect(await isHeld(store, "c", sha256), "by the second").toBe(true);
    expectOk(await other.release("c", [sha256], second.id));
    expect(await isHeld(store, "c", sha256)).toBe(false);
  },
  "is kept by a hold, even without its bytes": async ({ store }) => {
    const sha256 = await putText(store, "c", "1");
    const hold = newHold();
    expect(expectOk(await store.keep("c", [NO_HASH, sha256], hold))).toEqual([sha256]);
    expect(await isHeld(store, "c", sha256)).toBe(true);
    expectOk(await store.release("c", [sha256], hold.id));
    expect(await isHeld(store, "c", sha256)).toBe(false);
  },
  "is held no longer than the hold says": async ({ store }) => {
    const sha256 = await putText(store, "c", "1", newHold(1));
    expect(await isHeld(store, "c", sha256)).toBe(true);
    await expect.poll(() => isHeld(store, "c", sha256), { timeout: 5_000, interval: 100 }).toBe(false);
    const later = newHold();
    expectOk(await store.keep("c", [sha256], later));
    expect(await isHeld(store, "c", sha256), "again").toBe(true);
  },
  "stays held when another hold ends": async ({ store }) => {
    const sha256 = await putText(store, "c", "1", newHold());
    expectOk(await store.release("c", [sha256], "other"));
    expect(await isHeld(store, "c", sha256)).toBe(true);
  },
};

export const dueRules: BlobRules = {
  "returns each conversation in turn, longest waiting first": async ({ store, other }) => {
    for (const id of ["a", "b", "c"]) {
      await putText(store, id, "1");
      await putText(store, id, "2");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(expectOk(await store.due(2, 0))).toEqual(["a", "b"]);
    expect(expectOk(await other.due(1, 0))).toEqual(["c"]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([...expectOk(await other.due(10, 0))].sort()).toEqual(["a", "b", "c"]);
  },
  "skips conversations with a recent put, and those that were returned recently": async ({ store }) => {
    await putText(store, "a", "1");
    expect(expectOk(await store.due(10, 600))).toEqual([]);
    await expect
      .poll(async () => expectOk(await store.due(10, 1)), { timeout: 5_000, interval: 100 })
      .toEqual(["a"]);
    expect(expectOk(await store.due(10, 1))).toEqual([]);
  },
};
