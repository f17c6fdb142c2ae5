import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { contentsOf, type InboxRules, put, putEach, read, remove, waitingIn } from "./scenario.ts";

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
