import { expect } from "vitest";
import type { Timers } from "../../timers/timers.ts";
import { expectOk } from "../fixtures/expectations.ts";
import { advance, due, find, future, past, set, type TimerRules } from "./scenario.ts";

/** Counts how many of eight calls at the same time advance a timer. */
async function countAdvances(
  [one, two]: readonly [Timers, Timers],
  step: (timers: Timers, at: number) => Promise<boolean>,
): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => step(at % 2 === 0 ? one : two, at)));
  return answers.filter((answer) => answer).length;
}

export const advanceRules: TimerRules = {
  "moves a timer to its next time, and changes nothing else": async ({ timers, other }) => {
    const timer = await set(timers, { content: "a schedule" });
    const to = future();
    expect(await advance(other, timer, to)).toBe(true);
    expect(await find(timers)).toEqual([{ ...timer, at: to }]);
    expect(await due(timers)).toEqual([]);
    expect(await advance(timers, { ...timer, at: to }, past(1))).toBe(true);
    expect(await due(other)).toEqual(["t"]);
  },
  "removes a timer that has no next time": async ({ timers, other }) => {
    const timer = await set(timers);
    expect(await advance(other, timer, null)).toBe(true);
    expect([await find(timers), await due(timers)]).toEqual([[], []]);
    expect(await advance(timers, timer, null)).toBe(false);
  },
  "changes nothing if the timer is due at another time": async ({ timers, other }) => {
    const timer = await set(timers, { at: past(1) });
    for (const wrong of [past(2), new Date(timer.at.getTime() + 1), new Date(timer.at.getTime() - 1)])
      for (const to of [future(), null])
        expect(await advance(other, { ...timer, at: wrong }, to)).toBe(false);
    expect(await find(timers)).toEqual([timer]);
    const again = await set(other, { at: past(3), content: "set again" });
    expect(await advance(timers, timer, null)).toBe(false);
    expect(await find(timers)).toEqual([again]);
  },
  "advances a timer that isn't due yet, and to the same time": async ({ timers, other }) => {
    const timer = await set(timers, { at: future() });
    expect(await advance(other, timer, timer.at)).toBe(true);
    expect(await find(timers)).toEqual([timer]);
    expect(await advance(other, timer, future(1))).toBe(true);
  },
  "lets one of several calls at the same time advance a timer": async ({ timers, other }) => {
    for (let round = 0; round < 10; round++) {
      const timer = await set(timers);
      const both = [timers, other] as const;
      expect(await countAdvances(both, (by, at) => advance(by, timer, past(at + 1)))).toBe(1);
      const [moved] = await find(other);
      if (moved === undefined) return expect.fail("the timer is gone");
      expect(await countAdvances(both, (by) => advance(by, moved, null))).toBe(1);
      expect([await find(timers), await due(timers)]).toEqual([[], []]);
    }
  },
  "doesn't undo what is set at the same time": async ({ timers, other }) => {
    for (let round = 0; round < 20; round++) {
      const timer = await set(timers, { at: past(1), content: "old" });
      const [again] = await Promise.all([
        set(timers, { at: past(2), content: "new", userId: round % 3 === 0 ? "v" : "u" }),
        advance(other, timer, round % 2 === 0 ? future() : null),
      ]);
      expect(expectOk(await other.due())).toEqual([again]);
      expect([...(await find(timers)), ...(await find(timers, { userId: "v" }))]).toEqual([again]);
    }
  },
  "doesn't bring back what is erased or removed at the same time": async ({ timers, other }) => {
    for (let round = 0; round < 21; round++) {
      const timer = await set(timers);
      const erase = [
        () => other.deleteConversation("c"),
        () => other.deleteUser("u"),
        () => other.remove(timer),
      ][round % 3];
      const [, erased] = await Promise.all([advance(timers, timer, past(1)), erase?.()]);
      if (erased !== undefined) expectOk<unknown>(erased);
      expect([await find(timers), await due(timers)]).toEqual([[], []]);
    }
  },
  "lists each timer right after many changes at the same time": async ({ timers, other, connect }) => {
    const all = [timers, other, await connect(), await connect()];
    const change = async (by: Timers, at: number) => {
      const timer = await set(by, {
        timerId: `${at % 5}`,
        userId: at % 3 === 0 ? "v" : "u",
        at: past(at % 7),
      });
      if (at % 4 === 0) await advance(by, timer, past(10));
      if (at % 6 === 0) expectOk(await by.remove(timer));
    };
    await Promise.all(
      all.map(async (by, offset) => {
        for (let at = 0; at < 40; at++) await change(by, at + offset * 3);
      }),
    );
    const listed = expectOk(await timers.due());
    const byUser = [...(await find(other)), ...(await find(other, { userId: "v" }))];
    const sorted = (found: typeof listed) => found.toSorted((a, b) => (a.timerId < b.timerId ? -1 : 1));
    expect(sorted(byUser)).toEqual(sorted(listed));
    expect(new Set(listed.map(({ timerId }) => timerId)).size).toBe(listed.length);
  },
};
