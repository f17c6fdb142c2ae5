import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { nextInstant } from "../fixtures/timing.ts";
import { type InboxRules, put, putEach, read, remove, waitingIn } from "./scenario.ts";

export const waitingRules: InboxRules = {
  "lists conversations whose inbox isn't empty, the one that has waited longest first": async ({
    inbox,
    other,
  }) => {
    expect(expectOk(await inbox.waiting())).toEqual([]);
    for (const conversationId of ["b", "c", "a"]) {
      await putEach(inbox, ["1"], { conversationId });
      await nextInstant();
    }
    await putEach(other, ["2", "3"], { conversationId: "b" });
    const [oldest] = await read(other, { conversationId: "b" });
    const listed = expectOk(await other.waiting());
    expect(listed.map(({ conversationId }) => conversationId)).toEqual(["b", "c", "a"]);
    expect(listed[0]).toEqual({ conversationId: "b", userId: "u", entries: 3, since: oldest?.receivedAt });
    expect(await waitingIn(other, { limit: 2 })).toEqual(["b", "c"]);
    expect(await waitingIn(inbox, { limit: 1 })).toEqual(["b"]);
  },
  "counts from the oldest entry that is left": async ({ inbox, other }) => {
    const [first = ""] = await putEach(inbox, ["1"], { conversationId: "b" });
    await nextInstant();
    await putEach(inbox, ["1"], { conversationId: "c" });
    await nextInstant();
    const [second = ""] = await putEach(inbox, ["2"], { conversationId: "b" });
    await remove(other, first, "b");
    expect(await waitingIn(other)).toEqual(["c", "b"]);
    expect(await waitingIn(other, { limit: 1 })).toEqual(["c"]);
    const [oldest] = await read(other, { conversationId: "b" });
    expect(expectOk(await inbox.waiting())[1]).toMatchObject({ entries: 1, since: oldest?.receivedAt });
    await remove(inbox, second, "b");
    expect(await waitingIn(other)).toEqual(["c"]);
    await nextInstant();
    await putEach(inbox, ["3"], { conversationId: "b" });
    expect(await waitingIn(other, { userId: "u" })).toEqual(["c", "b"]);
  },
  "lists only a user's conversations, whatever the id": async ({ inbox, other }) => {
    for (const id of storableIds) await put(inbox, { conversationId: id, userId: id });
    for (const id of storableIds)
      expect(expectOk(await other.waiting({ userId: id })), id).toMatchObject([
        { conversationId: id, userId: id, entries: 1 },
      ]);
    expect(await waitingIn(other, { userId: "nobody" })).toEqual([]);
    expect((await waitingIn(other, { limit: 1_000 })).toSorted()).toEqual(storableIds.toSorted());
  },
  "lists 100 conversations by default, also of a user": async ({ inbox, other }) => {
    const cursors = new Map<string, string>();
    for (let at = 0; at < 130; at++) {
      const conversationId = `c${at}`;
      cursors.set(conversationId, (await put(inbox, { conversationId, userId: `u${at % 2}` })).cursor);
    }
    expect(await waitingIn(other)).toHaveLength(100);
    expect(await waitingIn(other, { userId: "u0" })).toHaveLength(65);
    for (const [conversationId, cursor] of [...cursors].slice(0, 110))
      await remove(inbox, cursor, conversationId);
    expect((await waitingIn(other)).toSorted()).toEqual([...cursors.keys()].slice(110).toSorted());
    expect(await waitingIn(other, { userId: "u1" })).toHaveLength(10);
  },
};
