import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { advance, due, find, found, future, newTimer, past, set, type TimerRules } from "./scenario.ts";

export const setRules: TimerRules = {
  "returns timers as they were set": async ({ timers, other }) => {
    const first = await set(timers, { timerId: "t1", content: "first", at: past(1) });
    const second = await set(other, { timerId: "t2", content: "second", at: future() });
    expect(await find(other)).toEqual([first, second]);
    expect(await find(timers)).toEqual([first, second]);
    expect(expectOk(await other.due())).toEqual([first]);
  },
  "has no timers at first": async ({ timers }) => {
    expect([await find(timers), await due(timers)]).toEqual([[], []]);
    expect(expectOk(await timers.remove({ conversationId: "c", timerId: "t" }))).toBe(false);
    expect(await advance(timers, newTimer(), future())).toBe(false);
  },
  "replaces the timer that has the same conversation and id": async ({ timers, other }) => {
    await set(timers, { content: "a long content that is replaced" });
    const later = await set(other, { content: "b", at: future() });
    expect([await find(timers), await due(timers)]).toEqual([[later], []]);
    const earlier = await set(timers, { content: "c", at: past(1) });
    expect(await find(other)).toEqual([earlier]);
    expect(expectOk(await other.due())).toEqual([earlier]);
  },
  "moves a timer that another user replaces to this user": async ({ timers, other }) => {
    await set(timers, { userId: "u", content: "of u" });
    await set(timers, { userId: "u", timerId: "kept" });
    const replaced = await set(other, { userId: "v", content: "of v", at: past(1) });
    expect(await found(timers, { userId: "u" })).toEqual(["kept"]);
    expect(await find(timers, { userId: "v" })).toEqual([replaced]);
    expect((await due(timers)).toSorted()).toEqual(["kept", "t"]);
    expect(expectOk(await other.deleteUser("u"))).toBe(1);
    expect(await find(timers, { userId: "v" })).toEqual([replaced]);
    expect(expectOk(await other.deleteUser("v"))).toBe(1);
    expect(await due(timers)).toEqual([]);
  },
  "keeps the timers of conversations apart": async ({ timers, other }) => {
    const one = await set(timers, { conversationId: "c1", at: past(1) });
    const two = await set(other, { conversationId: "c2", at: past(2) });
    expect(await find(timers)).toEqual([one, two]);
    expect(await advance(timers, { ...one, conversationId: "c2" }, null)).toBe(false);
    expect(expectOk(await other.remove(one))).toBe(true);
    expect(await find(timers)).toEqual([two]);
  },
  "removes a timer once": async ({ timers, other }) => {
    const timer = await set(timers);
    await set(timers, { timerId: "kept", at: future() });
    expect(expectOk(await other.remove(timer))).toBe(true);
    expect(expectOk(await timers.remove(timer))).toBe(false);
    expect([await found(timers), await due(timers)]).toEqual([["kept"], []]);
    expect(await advance(timers, timer, future())).toBe(false);
    await set(timers, { content: "again" });
    expect(await due(other)).toEqual(["t"]);
  },
  "stores a timer once if eight calls set it at the same time": async ({ timers, other }) => {
    for (let round = 0; round < 5; round++) {
      const timerId = `t${round}`;
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          set(at % 2 === 0 ? timers : other, { timerId, content: `${at}`, at: past(at) }),
        ),
      );
      const [stored, ...more] = (await find(timers)).filter((timer) => timer.timerId === timerId);
      expect(all).toContainEqual(stored);
      expect(more).toEqual([]);
    }
    expect((await due(other)).toSorted()).toEqual(["t0", "t1", "t2", "t3", "t4"]);
  },
};
