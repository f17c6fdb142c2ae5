import { expect } from "vitest";
import type { Inbox, InboxEntry } from "../../inbox/inbox.ts";
import { expectOk } from "../fixtures/expectations.ts";
import { contentsOf, type InboxRules, put, putEach, read, remove, waitingIn } from "./scenario.ts";

/** Expects entries of one user, each with the text that this user put. */
function expectOneUser(entries: readonly InboxEntry[]): void {
  const [first] = entries;
  expect(first).toBeDefined();
  for (const { userId, content } of entries) {
    expect(userId).toBe(first?.userId);
    expect(content.split(" ")[0]).toBe(userId);
  }
}

export const erasureRules: InboxRules = {
  "erases a conversation's inbox with its keys": async ({ inbox, other, contents }) => {
    const [first = ""] = await putEach(inbox, ["a secret", "two secrets", "three secrets"]);
    await remove(inbox, first);
    await put(inbox, { conversationId: "kept" });
    expect(expectOk(await other.deleteConversation("c"))).toBe(2);
    expect(await read(inbox)).toEqual([]);
    expect(await waitingIn(inbox)).toEqual(["kept"]);
    expect(await waitingIn(inbox, { userId: "u" })).toEqual(["kept"]);
    expect((await contents?.()) ?? "").not.toContain("secret");
    expect((await put(inbox, { key: "a secret" })).isNew).toBe(true);
    expect(expectOk(await other.deleteConversation("c"))).toBe(1);
    expect(expectOk(await other.deleteConversation("c"))).toBe(0);
  },
  "erases all inboxes of a user, and no other user's": async ({ inbox, other, contents }) => {
    const mine = { userId: "secret user" };
    await putEach(inbox, ["1", "2"], { ...mine, conversationId: "secret 1" });
    const { cursor } = await put(inbox, { ...mine, conversationId: "secret 2" });
    await remove(inbox, cursor, "secret 2");
    await put(inbox, { ...mine, conversationId: "secret 3" });
    await put(inbox, { userId: "secret", conversationId: "kept" });
    expect(expectOk(await other.deleteUser("secret user"))).toBe(3);
    for (const number of [1, 2, 3])
      expect(await read(inbox, { conversationId: `secret ${number}` })).toEqual([]);
    expect(await waitingIn(inbox)).toEqual(["kept"]);
    expect(await waitingIn(inbox, { userId: "secret user" })).toEqual([]);
    const left = (await contents?.()) ?? "";
    for (const erased of ["secret user", "secret 1", "secret 2", "secret 3"])
      expect(left).not.toContain(erased);
    expect((await put(other, { ...mine, conversationId: "secret 2" })).isNew).toBe(true);
    expect(expectOk(await other.deleteUser("secret user"))).toBe(1);
    expect(expectOk(await other.deleteUser("secret user"))).toBe(0);
  },
  "puts the cursor of an erased inbox before all entries": async ({ inbox, other }) => {
    const old = await putEach(inbox, ["a", "b", "c"]);
    const last = old.at(-1) ?? "";
    expectOk(await inbox.deleteConversation("c"));
    await putEach(other, ["d", "e"]);
    expect(await contentsOf(inbox, { after: last })).toEqual(["d", "e"]);
    expect(await remove(inbox, last)).toBe(0);
    expect(await contentsOf(inbox)).toEqual(["d", "e"]);
    expect(old).not.toContain((await read(inbox))[0]?.cursor);
  },
  "begins a new inbox with a put that comes after the erasure, for another user too": async ({
    inbox,
    other,
  }) => {
    await put(inbox, { content: "old" });
    expectOk(await other.deleteUser("u"));
    await put(inbox, { userId: "v", content: "new" });
    expect(expectOk(await other.waiting())).toMatchObject([{ conversationId: "c", userId: "v", entries: 1 }]);
    expect(expectOk(await other.deleteUser("u"))).toBe(0);
    expect(await contentsOf(inbox)).toEqual(["new"]);
  },
  "begins a new inbox with a put of another user": async ({ inbox, other, contents }) => {
    const [first = "", last = ""] = await putEach(inbox, ["secret 1", "secret 2"], { userId: "secret user" });
    await remove(inbox, first);
    await put(inbox, { userId: "secret user", conversationId: "kept" });
    expect((await put(other, { userId: "v", key: "secret 1", content: "new" })).isNew).toBe(true);
    for (const after of [undefined, first, last])
      expect(await read(inbox, after === undefined ? {} : { after })).toMatchObject([
        { userId: "v", content: "new" },
      ]);
    expect(await remove(inbox, last)).toBe(0);
    expect(expectOk(await inbox.waiting({ userId: "v" }))).toMatchObject([
      { conversationId: "c", userId: "v", entries: 1 },
    ]);
    expect(await waitingIn(other, { userId: "secret user" })).toEqual(["kept"]);
    expect((await waitingIn(other)).toSorted()).toEqual(["c", "kept"]);
    expect(expectOk(await inbox.deleteUser("secret user"))).toBe(1);
    const left = (await contents?.()) ?? "";
    for (const erased of ["secret user", "secret 2"]) expect(left).not.toContain(erased);
    expect(await contentsOf(other)).toEqual(["new"]);
    expect(expectOk(await inbox.deleteUser("v"))).toBe(1);
  },
  "begins a new inbox with a put of another user, also if the inbox is empty": async ({ inbox, other }) => {
    for (const [round, userId] of ["u", "v", "u"].entries()) {
      const { cursor, isNew } = await put(round % 2 === 0 ? inbox : other, { userId });
      expect(isNew).toBe(true);
      for (const id of ["u", "v"])
        expect(await waitingIn(other, { userId: id })).toEqual(id === userId ? ["c"] : []);
      expect(await remove(inbox, cursor)).toBe(1);
    }
    expect(expectOk(await other.deleteUser("v"))).toBe(0);
    expect((await put(inbox)).isNew).toBe(false);
    expectOk(await other.deleteUser("u"));
    expect((await put(inbox)).isNew).toBe(true);
  },
  "has entries of one user only, while two users put": async ({ inbox, other, connect }) => {
    const clients = [inbox, other, await connect(), await connect()];
    for (let round = 0; round < 10; round++) {
      const putSome = async (client: Inbox, userId: string) => {
        for (let at = 0; at < 5; at++) {
          const content = `${userId} ${round} ${at}`;
          await put(client, { userId, key: `${round} ${at}`, content });
          expectOneUser(await read(client));
        }
      };
      await Promise.all(clients.map((client, at) => putSome(client, at % 2 === 0 ? "u" : "v")));
      const entries = await read(inbox);
      expectOneUser(entries);
      const [owner = "", former = ""] = entries[0]?.userId === "u" ? ["u", "v"] : ["v", "u"];
      const inboxes = [{ conversationId: "c", userId: owner, entries: entries.length }];
      expect(expectOk(await other.waiting())).toMatchObject(inboxes);
      expect(expectOk(await other.waiting({ userId: owner }))).toMatchObject(inboxes);
      expect(expectOk(await other.waiting({ userId: former }))).toEqual([]);
      expect(expectOk(await inbox.deleteUser(former))).toBe(0);
      if (round % 2 === 0) expect(expectOk(await inbox.deleteUser(owner))).toBe(entries.length);
    }
  },
  "leaves nothing of what was put before, and loses nothing that is put later": async ({ inbox, other }) => {
    for (let round = 0; round < 20; round++) {
      const erase = () => (round % 2 === 0 ? other.deleteConversation("c") : other.deleteUser("u"));
      await put(inbox, { key: `before ${round}`, content: "before" });
      const [, erased] = await Promise.all([
        Promise.all(
          Array.from({ length: 6 }, (_, at) =>
            put(at % 2 === 0 ? inbox : other, { key: `${round} ${at}`, content: "during" }),
          ),
        ),
        erase(),
      ]);
      const left = await read(inbox);
      expect(expectOk(erased) + left.length).toBe(7);
      expect(left.every(({ content }) => content === "during")).toBe(true);
      expect(await waitingIn(other)).toEqual(left.length === 0 ? [] : ["c"]);
      expect(await waitingIn(other, { userId: "u" })).toEqual(left.length === 0 ? [] : ["c"]);
      expect((await put(other, { key: `before ${round}`, content: "after" })).isNew).toBe(true);
      expect(expectOk(await erase())).toBe(left.length + 1);
      expect(await read(other)).toEqual([]);
    }
  },
};
