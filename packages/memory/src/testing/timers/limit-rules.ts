import { expect } from "vitest";
import { MOST_TIMERS } from "../../timers/timers.ts";
import { expectOk } from "../fixtures/expectations.ts";
import { forEachConcurrently } from "../fixtures/timing.ts";
import {
  advance,
  find,
  found,
  future,
  newTimer,
  set,
  type TimerRules,
  type TimersScenario,
} from "./scenario.ts";

/** Sets as many timers of the user as a user can have, with some more. Returns how many were refused. */
async function fill({ timers, other }: TimersScenario, more: number): Promise<number> {
  const ids = Array.from({ length: MOST_TIMERS + more }, (_, at) => `${at}`);
  let full = 0;
  let calls = 0;
  await forEachConcurrently(ids, async (timerId) => {
    const by = calls++ % 2 === 0 ? timers : other;
    const conversationId = `c${Number(timerId) % 3}`;
    const answer = expectOk(await by.set(newTimer({ timerId, conversationId, at: future() })));
    if (answer === "full") full += 1;
    else expect(answer).toBe("set");
  });
  return full;
}

export const limitRules: TimerRules = {
  "stores no more timers of a user than the limit": async (scenario) => {
    const { timers, other } = scenario;
    expect(await fill(scenario, 20)).toBe(20);
    const all = await find(timers);
    expect(all).toHaveLength(MOST_TIMERS);
    const [first] = all;
    if (first === undefined) return expect.fail("there are no timers");
    expect(expectOk(await other.set(newTimer({ timerId: "more" })))).toBe("full");
    expect(await found(other, { conversationId: "c" })).toEqual([]);
    expect(expectOk(await other.set({ ...first, content: "set again" }))).toBe("set");
    await set(timers, { userId: "v", timerId: "of v", content: "of v" });
    expect(expectOk(await other.set(newTimer({ timerId: "of v", content: "of u" })))).toBe("full");
    expect(await find(timers, { userId: "v" })).toMatchObject([{ timerId: "of v", content: "of v" }]);
    expect(await find(timers)).toHaveLength(MOST_TIMERS);
  },
  "lets a user set a timer for each one that is gone, even if eight calls do at once": async (scenario) => {
    const { timers, other } = scenario;
    await fill(scenario, 0);
    const gone: readonly (() => Promise<unknown>)[] = [
      async () => expectOk(await other.remove((await find(timers))[0] ?? newTimer())),
      async () => advance(other, (await find(timers))[0] ?? newTimer(), null),
      async () => set(other, { ...(await find(timers, { conversationId: "c2" }))[0], userId: "v" }),
    ];
    for (const [round, remove] of gone.entries()) {
      await remove();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          (at % 2 === 0 ? timers : other).set(newTimer({ timerId: `${round} ${at}`, at: future(1) })),
        ),
      );
      expect(answers.map(expectOk).filter((answer) => answer === "set")).toHaveLength(1);
      expect(await find(timers)).toHaveLength(MOST_TIMERS);
    }
    const erased = expectOk(await other.deleteConversation("c1"));
    expect(erased).toBeGreaterThan(300);
    expect(await find(timers)).toHaveLength(MOST_TIMERS - erased);
    expect(expectOk(await timers.set(newTimer({ timerId: "more" })))).toBe("set");
    expect(expectOk(await other.deleteUser("u"))).toBe(MOST_TIMERS - erased + 1);
    expect(expectOk(await timers.set(newTimer()))).toBe("set");
  },
};
