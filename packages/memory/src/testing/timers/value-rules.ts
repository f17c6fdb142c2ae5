import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { advance, find, found, past, set, type TimerRules } from "./scenario.ts";

const MEGABYTE = 1_000_000;

export const valueRules: TimerRules = {
  "returns contents exactly": async ({ timers, other }) => {
    const contents = [...storableIds, "", "\ufeffmarked", '{"a":"\\u0000\\ud800"}', "1.0", " [] ", '"', "\\"];
    const begin = past().getTime();
    for (const [at, content] of contents.entries())
      await set(timers, { timerId: `${at}`, content, at: new Date(begin + at) });
    expect((await find(other)).map(({ content }) => content)).toEqual(contents);
    expect(expectOk(await other.due(1_000)).map(({ content }) => content)).toEqual(contents);
  },
  "keeps contents of a megabyte": async ({ timers, other }) => {
    const contents = ["é", "字", "😀"].map((letter) => letter.repeat(MEGABYTE / letter.length));
    const begin = past().getTime();
    for (const [at, content] of contents.entries()) {
      const timer = await set(timers, { timerId: `${at}`, content, at: new Date(begin) });
      await advance(other, timer, new Date(begin + at));
    }
    const kept = await find(other);
    expect(kept.map(({ content }, at) => content === contents[at])).toEqual([true, true, true]);
  },
  "keeps hostile ids of one conversation apart": async ({ timers, other }) => {
    const begin = past().getTime();
    for (const [at, timerId] of storableIds.entries())
      await set(timers, { timerId, content: timerId, at: new Date(begin + at) });
    expect((await find(other)).map(({ content }) => content)).toEqual(storableIds);
    expect(await found(other)).toEqual(storableIds);
    for (const timerId of storableIds)
      expect(expectOk(await other.remove({ conversationId: "c", timerId })), timerId).toBe(true);
    expect(await found(timers)).toEqual([]);
  },
  "keeps hostile ids apart": async ({ timers, other }) => {
    for (const id of storableIds)
      await set(timers, { conversationId: id, userId: id, timerId: id, content: id });
    for (const id of storableIds) {
      const ofUser = [{ conversationId: id, userId: id, timerId: id, content: id }];
      expect(await find(other, { userId: id }), id).toMatchObject(ofUser);
      expect(await find(other, { userId: id, conversationId: id }), id).toMatchObject(ofUser);
    }
    const [star] = await find(timers, { userId: "*" });
    expect(star && (await advance(other, star, null))).toBe(true);
    expect(await timers.deleteUser("%")).toEqual({ success: true, data: 1 });
    expect(await timers.deleteConversation("{a}")).toEqual({ success: true, data: 1 });
    const left = storableIds.filter((id) => !["*", "%", "{a}"].includes(id));
    expect(
      expectOk(await other.due(1_000))
        .map(({ timerId }) => timerId)
        .toSorted(),
    ).toEqual(left.toSorted());
    for (const id of left) expect(await found(other, { userId: id }), id).toEqual([id]);
  },
  // A store that joins ids to one text could confuse these.
  "keeps ids apart that look alike when they are joined": async ({ timers, other }) => {
    const pairs = [
      ["a", "b:c"],
      ["a:b", "c"],
      ["a ", "b"],
      ["a", " b"],
      ['a","b', "c"],
      ["a", 'b","c'],
      ["1a", "b"],
      ["1", "ab"],
    ] as const;
    for (const [conversationId, timerId] of pairs)
      await set(timers, { conversationId, timerId, content: `${conversationId} ${timerId}` });
    expect(await found(other)).toHaveLength(pairs.length);
    for (const [conversationId, timerId] of pairs) {
      expect(expectOk(await other.remove({ conversationId, timerId }))).toBe(true);
      expect(expectOk(await other.remove({ conversationId, timerId }))).toBe(false);
    }
    expect(await found(timers)).toEqual([]);
  },
};
