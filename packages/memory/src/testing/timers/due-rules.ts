import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { advance, due, find, found, future, past, set, type TimerRules } from "./scenario.ts";

const LAST_YEAR = "9999-12-31T23:59:59.999Z";
/** The last date that JavaScript has, in milliseconds since 1970. */
const LAST_MS = 8_640_000_000_000_000;

export const dueRules: TimerRules = {
  "lists timers of all users that are due, the one that has been due longest first": async ({
    timers,
    other,
  }) => {
    await set(timers, { timerId: "b", conversationId: "x", at: past(30) });
    await set(other, { timerId: "c", conversationId: "a", userId: "v", at: past(10) });
    await set(timers, { timerId: "a", conversationId: "b", at: past(20) });
    await set(other, { timerId: "later", at: future() });
    expect(await due(timers)).toEqual(["c", "a", "b"]);
    expect(await due(other, 2)).toEqual(["c", "a"]);
    expect(await due(other, 1)).toEqual(["c"]);
    expect(await due(timers, Number.MAX_SAFE_INTEGER)).toEqual(["c", "a", "b"]);
  },
  "lists a timer until it is advanced or removed": async ({ timers, other }) => {
    const [a, b] = [await set(timers, { timerId: "a" }), await set(timers, { timerId: "b", at: past(1) })];
    expect(await due(timers)).toEqual(["a", "b"]);
    expect(await due(other)).toEqual(["a", "b"]);
    await advance(other, a, null);
    expect(await due(timers)).toEqual(["b"]);
    expectOk(await timers.remove(b));
    expect(await due(other)).toEqual([]);
  },
  "lists a timer when its time has come": async ({ timers, other }) => {
    await set(timers, { at: new Date(Date.now() + 20) });
    await expect.poll(() => due(other), { timeout: 20_000, interval: 20 }).toEqual(["t"]);
  },
  "lists 100 timers by default": async ({ timers, other }) => {
    const ids = Array.from({ length: 120 }, (_, at) => `t${at}`);
    const begin = past().getTime();
    await Promise.all(ids.map((timerId, at) => set(timers, { timerId, at: new Date(begin + at) })));
    expect(expectOk(await other.due()).map(({ timerId }) => timerId)).toEqual(ids.slice(0, 100));
    expect(expectOk(await other.find({ userId: "u" })).map(({ timerId }) => timerId)).toEqual(
      ids.slice(0, 100),
    );
    expect(await due(other)).toEqual(ids);
  },
  "keeps times to the millisecond, from 1970 to the last date": async ({ timers, other }) => {
    const begin = Date.parse("2026-03-29T01:59:59.998Z");
    const stamps = [
      ...[0, 1, 999, 1_000, begin, begin + 1, begin + 2, begin + 3],
      ...[Date.parse(LAST_YEAR) - 1, Date.parse(LAST_YEAR), Date.parse(LAST_YEAR) + 1],
      ...[LAST_MS - 2, LAST_MS - 1, LAST_MS],
    ];
    for (const ms of stamps.toReversed()) await set(timers, { timerId: `${ms}`, at: new Date(ms) });
    expect((await find(other)).map(({ at }) => at.getTime())).toEqual(stamps);
    expect(await due(other)).toEqual(stamps.filter((ms) => ms <= Date.now()).map(String));
    for (const ms of stamps) {
      const name = { conversationId: "c", timerId: `${ms}` };
      for (const wrong of [ms - 1, ms + 1].filter((value) => value >= 0 && value <= LAST_MS))
        expect(expectOk(await other.advance({ ...name, from: new Date(wrong), to: null })), `${ms}`).toBe(
          false,
        );
      expect(expectOk(await other.advance({ ...name, from: new Date(ms), to: null })), `${ms}`).toBe(true);
    }
  },
  "isn't changed by a caller who changes a date": async ({ timers, other }) => {
    const at = past();
    const ms = at.getTime();
    await set(timers, { at });
    at.setTime(0);
    const [stored] = await find(timers);
    expect(stored?.at.getTime()).toBe(ms);
    stored?.at.setTime(5);
    expect((await find(other))[0]?.at.getTime()).toBe(ms);
    const to = future();
    expect(await advance(timers, { ...(await set(timers, { at: past(1) })) }, to)).toBe(true);
    to.setTime(0);
    expect(await due(other)).toEqual([]);
  },
};

export const findRules: TimerRules = {
  "finds only the timers of a user, the one that is due first first": async ({ timers, other }) => {
    await set(timers, { timerId: "b", at: future(2) });
    await set(other, { timerId: "c", at: past() });
    await set(timers, { timerId: "a", conversationId: "d", at: future(1) });
    await set(other, { timerId: "hidden", userId: "v", conversationId: "d" });
    expect(await found(timers)).toEqual(["c", "a", "b"]);
    expect(await found(other, { limit: 2 })).toEqual(["c", "a"]);
    expect(await found(other, { limit: Number.MAX_SAFE_INTEGER })).toEqual(["c", "a", "b"]);
    expect(await found(timers, { userId: "v" })).toEqual(["hidden"]);
    expect(await found(timers, { userId: "nobody" })).toEqual([]);
  },
  "finds only the timers of a conversation": async ({ timers, other }) => {
    for (let at = 0; at < 20; at++)
      await set(timers, { timerId: `${at}`, conversationId: `c${at % 2}`, at: future(20 - at) });
    await set(timers, { timerId: "hidden", userId: "v", conversationId: "c1" });
    expect(await found(other, { conversationId: "c1", limit: 3 })).toEqual(["19", "17", "15"]);
    expect(await found(other, { conversationId: "c0" })).toHaveLength(10);
    expect(await found(other, { conversationId: "c1", userId: "v" })).toEqual(["hidden"]);
    expect(await found(other, { conversationId: "c" })).toEqual([]);
  },
  "finds timers in their new order after they were set again or advanced": async ({ timers, other }) => {
    const a = await set(timers, { timerId: "a", at: future(1) });
    await set(timers, { timerId: "b", at: future(2) });
    await set(timers, { timerId: "c", at: future(3) });
    await advance(other, a, future(4));
    await set(other, { timerId: "c", at: past() });
    expect(await found(timers)).toEqual(["c", "b", "a"]);
  },
};
