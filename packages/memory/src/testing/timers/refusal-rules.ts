import { expect } from "vitest";
import { expectError, expectInvalid, expectOk } from "../fixtures/expectations.ts";
import { refusedIds } from "../fixtures/hostile-ids.ts";
import { due, find, newTimer, past, set, type TimerRules } from "./scenario.ts";

const NO_TEXTS: readonly unknown[] = ["a\0", "\ud800", 5, null, undefined, {}];
const NO_LIMITS: readonly unknown[] = [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null];
const NO_DATES: readonly unknown[] = [
  ...[new Date(Number.NaN), new Date(8_640_000_000_000_001), new Date(-1), new Date("0000-01-01")],
  ...[0, Date.now(), "2026-01-01T00:00:00.000Z", {}, []],
];

export const refusalRules: TimerRules = {
  "refuses invalid ids": async ({ timers }) => {
    const [name, at] = [{ conversationId: "c", timerId: "t" }, past()];
    for (const id of refusedIds as readonly string[]) {
      for (const field of ["conversationId", "timerId", "userId"] as const)
        await expectInvalid(() => timers.set(newTimer({ [field]: id })), field);
      for (const field of ["conversationId", "timerId"] as const) {
        await expectInvalid(() => timers.advance({ ...name, from: at, to: null, [field]: id }), field);
        await expectInvalid(() => timers.remove({ ...name, [field]: id }), field);
      }
      await expectInvalid(() => timers.find({ userId: id }), "userId");
      await expectInvalid(() => timers.find({ userId: "u", conversationId: id }), "conversationId");
      await expectInvalid(() => timers.deleteConversation(id), "conversationId");
      await expectInvalid(() => timers.deleteUser(id), "userId");
    }
    expect([await find(timers), await due(timers)]).toEqual([[], []]);
  },
  "refuses contents that not every store can hold": async ({ timers }) => {
    for (const content of NO_TEXTS as readonly string[])
      await expectInvalid(() => timers.set({ ...newTimer(), content }), "content");
    expect(await due(timers)).toEqual([]);
  },
  "refuses invalid dates and dates before 1970": async ({ timers }) => {
    const timer = await set(timers);
    const name = { conversationId: "c", timerId: "t" };
    for (const date of [...NO_DATES, null, undefined] as readonly Date[]) {
      await expectInvalid(() => timers.set({ ...newTimer(), at: date }), "at");
      await expectInvalid(() => timers.advance({ ...name, from: date, to: null }), "from");
    }
    for (const date of [...NO_DATES, undefined] as readonly Date[])
      await expectInvalid(() => timers.advance({ ...name, from: timer.at, to: date }), "to");
    expect(await find(timers)).toEqual([timer]);
  },
  "refuses limits out of range": async ({ timers }) => {
    for (const limit of NO_LIMITS as readonly number[]) {
      await expectInvalid(() => timers.due(limit), "limit");
      await expectInvalid(() => timers.find({ userId: "u", limit }), "limit");
    }
  },
  "fails after close, and closes twice": async ({ timers, other }) => {
    const timer = await set(timers);
    expectOk(await timers.close());
    expectOk(await timers.close());
    const late = [
      timers.set(timer),
      timers.due(),
      timers.advance({ ...timer, from: timer.at, to: null }),
      timers.find({ userId: "u" }),
      timers.remove(timer),
      timers.deleteConversation("c"),
      timers.deleteUser("u"),
    ];
    for (const result of await Promise.all(late))
      expect(expectError(result, "MemoryConnectionError").retryable).toBe(false);
    expectOk(await other.close());
  },
};
