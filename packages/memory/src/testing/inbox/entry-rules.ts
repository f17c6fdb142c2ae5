import { expect } from "vitest";
import { sleep } from "../fixtures/timing.ts";
import { contentsOf, type InboxRules, put, putEach, read, remove } from "./scenario.ts";

export const entryRules: InboxRules = {
  "returns entries as they were put, in their order": async ({ inbox, other }) => {
    const begunAt = Date.now();
    const first = await put(inbox, { key: "k1", content: "z" });
    const second = await put(other, { key: "k2", content: "a" });
    expect([first.isNew, second.isNew]).toEqual([true, true]);
    const ids = { conversationId: "c", userId: "u" };
    const entries = await read(inbox);
    expect(entries).toEqual([
      { ...ids, key: "k1", content: "z", cursor: first.cursor, receivedAt: expect.any(Date) },
      { ...ids, key: "k2", content: "a", cursor: second.cursor, receivedAt: expect.any(Date) },
    ]);
    expect(await read(other)).toEqual(entries);
    // The clock of the store may differ from the clock of this process.
    for (const { receivedAt } of entries)
      expect(Math.abs(receivedAt.getTime() - begunAt)).toBeLessThan(600_000);
  },
  "has no entries in an unknown conversation": async ({ inbox }) => {
    await put(inbox, { conversationId: "c2" });
    expect(await read(inbox)).toEqual([]);
    expect(await remove(inbox, "x:1")).toBe(0);
  },
  "returns entries until they are removed, and doesn't change them": async ({ inbox, other }) => {
    await putEach(inbox, ["a", "b"]);
    const entries = await read(inbox);
    await sleep(5);
    await put(other, { key: "c", content: "c" });
    expect((await read(inbox)).slice(0, 2)).toEqual(entries);
    expect(await contentsOf(other)).toEqual(["a", "b", "c"]);
  },
  "reads after a cursor, up to a limit": async ({ inbox, other }) => {
    const [a = "", b = "", c = ""] = await putEach(inbox, ["a", "b", "c"]);
    expect(await contentsOf(other, { after: a })).toEqual(["b", "c"]);
    expect(await contentsOf(other, { after: b })).toEqual(["c"]);
    expect(await contentsOf(other, { after: c })).toEqual([]);
    expect(await contentsOf(other, { limit: 2 })).toEqual(["a", "b"]);
    expect(await contentsOf(other, { after: a, limit: 1 })).toEqual(["b"]);
    expect(await contentsOf(other, { limit: Number.MAX_SAFE_INTEGER })).toEqual(["a", "b", "c"]);
    expect(await putEach(other, ["d"])).toHaveLength(1);
    expect(await contentsOf(inbox, { after: c })).toEqual(["d"]);
  },
  "reads 100 entries by default, in the order of numbers and not of texts": async ({ inbox }) => {
    const texts = Array.from({ length: 120 }, (_, at) => `${at}`);
    const cursors = await putEach(inbox, texts);
    expect(new Set(cursors).size).toBe(120);
    expect(await contentsOf(inbox)).toEqual(texts.slice(0, 100));
    expect(await contentsOf(inbox, { after: cursors[8] ?? "" })).toEqual(texts.slice(9, 109));
  },
  "keeps the inboxes of conversations apart": async ({ inbox, other }) => {
    await put(inbox, { conversationId: "c1", content: "of c1" });
    const ofC2 = await put(other, { conversationId: "c2", content: "of c2" });
    expect(ofC2.isNew).toBe(true);
    expect(await remove(inbox, ofC2.cursor, "c1")).toBe(0);
    expect(await contentsOf(inbox, { conversationId: "c1", after: ofC2.cursor })).toEqual(["of c1"]);
    expect(await contentsOf(inbox, { conversationId: "c2" })).toEqual(["of c2"]);
  },
  "puts what it never returned as a cursor before all entries": async ({ inbox }) => {
    const [cursor = ""] = await putEach(inbox, ["a"]);
    const strange = [
      "x",
      ":",
      "0",
      "9",
      "x:1",
      `x${cursor}`,
      "1:1e9",
      "x:99999999999999999999",
      cursor.slice(0, -1),
    ];
    for (const after of strange) {
      expect(await contentsOf(inbox, { after }), after).toEqual(["a"]);
      expect(await remove(inbox, after), after).toBe(0);
    }
  },
};

export const removalRules: InboxRules = {
  "removes the entries up to and including the one at a cursor": async ({ inbox, other }) => {
    const [a = "", b = "", c = ""] = await putEach(inbox, ["a", "b", "c"]);
    expect(await remove(other, b)).toBe(2);
    expect(await contentsOf(inbox)).toEqual(["c"]);
    expect([await remove(inbox, b), await remove(inbox, a)]).toEqual([0, 0]);
    expect(await contentsOf(inbox, { after: a })).toEqual(["c"]);
    expect(await remove(other, c)).toBe(1);
    expect(await read(inbox)).toEqual([]);
  },
  "reads on after a removed entry": async ({ inbox, other }) => {
    const [a = ""] = await putEach(inbox, ["a"]);
    await remove(other, a);
    await putEach(other, ["b", "c"]);
    expect(await contentsOf(inbox, { after: a })).toEqual(["b", "c"]);
    expect(await contentsOf(inbox)).toEqual(["b", "c"]);
    expect(await remove(inbox, a)).toBe(0);
  },
  "removes nothing that came later than the cursor, however often": async ({ inbox, other }) => {
    for (let round = 0; round < 20; round++) {
      const [mine = ""] = await putEach(inbox, [`mine ${round}`]);
      const [removed] = await Promise.all([
        remove(inbox, mine),
        putEach(other, [`later ${round}`]),
        remove(other, mine),
      ]);
      const left = await read(inbox);
      expect(left.map(({ content }) => content)).toEqual([`later ${round}`]);
      expect(removed).toBeLessThanOrEqual(1);
      await remove(other, left[0]?.cursor ?? "");
    }
    expect(await read(other)).toEqual([]);
  },
};
