import { expect } from "vitest";
import { INBOX_KEY_SECONDS, MOST_INBOX_ENTRIES } from "../../inbox/inbox.ts";
import { expectError } from "../fixtures/expectations.ts";
import { forEachConcurrently } from "../fixtures/timing.ts";
import { contentsOf, type InboxRules, newEntry, put, putEach, read, remove } from "./scenario.ts";

const HOUR = 3_600;

export const keyRules: InboxRules = {
  "stores an entry once for each key, and keeps the first": async ({ inbox, other }) => {
    const first = await put(inbox, { content: "first" });
    for (const again of [inbox, other])
      expect(await put(again, { content: "another" })).toEqual({ cursor: first.cursor, isNew: false });
    expect(await contentsOf(other)).toEqual(["first"]);
    expect((await put(other, { conversationId: "c2" })).isNew).toBe(true);
  },
  "stores an entry once if it arrives eight times at the same time": async ({ inbox, other }) => {
    for (let round = 0; round < 5; round++) {
      const key = `k${round}`;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => put(at % 2 === 0 ? inbox : other, { key, content: key })),
      );
      expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(answers.map(({ cursor }) => cursor)).size).toBe(1);
      expect(await contentsOf(inbox)).toEqual(Array.from({ length: round + 1 }, (_, at) => `k${at}`));
    }
  },
  "knows the key of a removed entry": async ({ inbox, other }) => {
    const [a = "", b = ""] = await putEach(inbox, ["a", "b"]);
    await remove(inbox, b);
    expect(await put(other, { key: "a", content: "again" })).toEqual({ cursor: a, isNew: false });
    expect(await put(inbox, { key: "b" })).toEqual({ cursor: b, isNew: false });
    expect(await read(other)).toEqual([]);
  },
  "knows a key for 24 hours": async ({ inbox, other, age }) => {
    const { cursor } = await put(inbox, { key: "removed" });
    await put(inbox, { key: "waits", content: "old" });
    await remove(inbox, cursor);
    await age(INBOX_KEY_SECONDS - HOUR);
    for (const key of ["removed", "waits"]) expect((await put(other, { key })).isNew).toBe(false);
    await age(HOUR);
    for (const key of ["removed", "waits"])
      expect((await put(other, { key, content: key })).isNew).toBe(true);
    expect(await contentsOf(inbox)).toEqual(["old", "removed", "waits"]);
    for (const key of ["removed", "waits"]) expect((await put(inbox, { key })).isNew).toBe(false);
  },
  "knows a key for 24 hours from its own put, not from a later one": async ({ inbox, age }) => {
    await put(inbox, { key: "a" });
    await age(INBOX_KEY_SECONDS - HOUR);
    expect((await put(inbox, { key: "a" })).isNew).toBe(false);
    await put(inbox, { key: "b" });
    await age(HOUR);
    expect((await put(inbox, { key: "a" })).isNew).toBe(true);
    expect((await put(inbox, { key: "b" })).isNew).toBe(false);
  },
  "keeps an entry that waits for longer than its key is known": async ({ inbox, other, age }) => {
    const [a = ""] = await putEach(inbox, ["a", "b"]);
    await age(40 * INBOX_KEY_SECONDS);
    for (let at = 0; at < 50; at++) await put(inbox, { conversationId: `other ${at}` });
    expect(await contentsOf(other)).toEqual(["a", "b"]);
    expect(await remove(other, a)).toBe(1);
    await putEach(other, ["c"]);
    expect(await contentsOf(inbox)).toEqual(["b", "c"]);
  },
  "refuses a new entry if the inbox is full, with an error that can be retried": async ({ inbox, other }) => {
    const keys = Array.from({ length: MOST_INBOX_ENTRIES + 20 }, (_, at) => `k${at}`);
    let full = 0;
    await forEachConcurrently(keys, async (key) => {
      const answer = await (full % 2 === 0 ? inbox : other).put(newEntry({ key, content: key }));
      if (!answer.success) {
        expect(expectError(answer, "MemoryStorageError").retryable).toBe(true);
        full += 1;
      }
    });
    expect(full).toBe(20);
    const entries = await read(inbox, { limit: 2_000 });
    expect(entries).toHaveLength(MOST_INBOX_ENTRIES);
    const [oldest] = entries;
    expect((await put(other, { key: oldest?.key ?? "" })).isNew).toBe(false);
    expect(expectError(await other.put(newEntry({ key: "more" })), "MemoryStorageError").retryable).toBe(
      true,
    );
    expect((await put(other, { conversationId: "c2", key: "more" })).isNew).toBe(true);
    expect(await remove(inbox, oldest?.cursor ?? "")).toBe(1);
    expect((await put(other, { key: "more", content: "more" })).isNew).toBe(true);
    expect((await contentsOf(inbox, { limit: 2_000 })).at(-1)).toBe("more");
    expectError(await inbox.put(newEntry({ key: "too many" })), "MemoryStorageError");
    expect((await put(other, { userId: "v", key: "too many", content: "of v" })).isNew).toBe(true);
    expect(await contentsOf(inbox)).toEqual(["of v"]);
  },
};
