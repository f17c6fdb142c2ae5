import { expect } from "vitest";
import { expectError, expectInvalid, expectOk } from "../fixtures/expectations.ts";
import { refusedIds } from "../fixtures/hostile-ids.ts";
import { type InboxRules, newEntry, put, read } from "./scenario.ts";

const NO_TEXTS: readonly unknown[] = ["a\0", "\ud800", 5, null, undefined, {}];
const NO_LIMITS: readonly unknown[] = [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null];

export const refusalRules: InboxRules = {
  "refuses invalid ids, keys and cursors": async ({ inbox }) => {
    const ids = { conversationId: "c" };
    for (const id of refusedIds as readonly string[]) {
      for (const name of ["conversationId", "userId", "key"] as const)
        await expectInvalid(() => inbox.put(newEntry({ [name]: id })), name);
      await expectInvalid(() => inbox.read({ conversationId: id }), "conversationId");
      await expectInvalid(() => inbox.read({ ...ids, after: id }), "after");
      await expectInvalid(() => inbox.remove({ conversationId: id, upTo: "x:1" }), "conversationId");
      await expectInvalid(() => inbox.remove({ ...ids, upTo: id }), "upTo");
      await expectInvalid(() => inbox.waiting({ userId: id }), "userId");
      await expectInvalid(() => inbox.deleteConversation(id), "conversationId");
      await expectInvalid(() => inbox.deleteUser(id), "userId");
    }
    expect(await read(inbox)).toEqual([]);
  },
  "refuses contents that not every store can hold": async ({ inbox }) => {
    for (const content of NO_TEXTS as readonly string[])
      await expectInvalid(() => inbox.put(newEntry({ content })), "content");
    expect(await read(inbox)).toEqual([]);
  },
  "refuses limits out of range": async ({ inbox }) => {
    for (const limit of NO_LIMITS as readonly number[]) {
      await expectInvalid(() => inbox.read({ conversationId: "c", limit }), "limit");
      await expectInvalid(() => inbox.waiting({ limit }), "limit");
    }
  },
  "fails after close, and closes twice": async ({ inbox, other }) => {
    await put(inbox);
    expectOk(await inbox.close());
    expectOk(await inbox.close());
    const late = [
      inbox.put(newEntry()),
      inbox.read({ conversationId: "c" }),
      inbox.remove({ conversationId: "c", upTo: "x:1" }),
      inbox.waiting(),
      inbox.deleteConversation("c"),
      inbox.deleteUser("u"),
    ];
    for (const result of await Promise.all(late))
      expect(expectError(result, "MemoryConnectionError").retryable).toBe(false);
    expectOk(await other.close());
  },
};
