import { describe, expect, it } from "vitest";
import { createInMemoryTimers, type Timer, type TimerName, type Timers } from "../../src/index.ts";
import { advanceRules } from "../../src/testing/timers/advance-rules.ts";
import { dueRules, findRules } from "../../src/testing/timers/due-rules.ts";
import { erasureRules } from "../../src/testing/timers/erasure-rules.ts";
import { limitRules } from "../../src/testing/timers/limit-rules.ts";
import { refusalRules } from "../../src/testing/timers/refusal-rules.ts";
import type { TimersScenario } from "../../src/testing/timers/scenario.ts";
import { setRules } from "../../src/testing/timers/set-rules.ts";
import { valueRules } from "../../src/testing/timers/value-rules.ts";

const rules = {
  ...setRules,
  ...dueRules,
  ...findRules,
  ...advanceRules,
  ...limitRules,
  ...valueRules,
  ...erasureRules,
  ...refusalRules,
};

type Broken = (timers: Timers) => Partial<Timers>;

const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Changes the timers that are listed as due. */
const listing =
  (change: (timers: readonly Timer[]) => readonly Timer[]): Broken =>
  (timers) => ({
    due: async (limit = 100) => {
      const found = await timers.due(10_000);
      return found.success ? { ...found, data: change(found.data).slice(0, limit) } : found;
    },
  });

/** Changes the ids under which timers are stored. */
const naming =
  (change: <T extends TimerName>(name: T) => T): Broken =>
  (timers) => ({
    set: (timer) => timers.set(change(timer)),
    advance: (step) => timers.advance(change(step)),
    remove: (name) => timers.remove(change(name)),
  });

/** Finds a timer by its name that is due, of any user. */
async function lookUp(timers: Timers, { conversationId, timerId }: TimerName): Promise<Timer | undefined> {
  const found = await timers.due(10_000);
  if (!found.success) return undefined;
  return found.data.find((timer) => timer.conversationId === conversationId && timer.timerId === timerId);
}

/** Mistakes of an adapter, and a rule that finds each. */
const mistakes: Readonly<Record<string, readonly [rule: keyof typeof rules, broken: Broken]>> = {
  "keep the first of two timers with the same id": [
    "replaces the timer that has the same conversation and id",
    (timers) => ({
      set: async (timer) =>
        (await lookUp(timers, timer)) === undefined ? timers.set(timer) : { success: true, data: "set" },
    }),
  ],
  "have a timer of the same id for each user": [
    "moves a timer that another user replaces to this user",
    (timers) => ({ set: (timer) => timers.set({ ...timer, timerId: `${timer.userId} ${timer.timerId}` }) }),
  ],
  "have ids for all conversations": [
    "keeps the timers of conversations apart",
    naming((name) => ({ ...name, conversationId: "c" })),
  ],
  "list the latest first": [
    "lists timers of all users that are due, the one that has been due longest first",
    listing((timers) => timers.toReversed()),
  ],
  "list each due timer once": [
    "lists a timer until it is advanced or removed",
    (timers) => {
      const seen = new Set<string>();
      const isNew = ({ timerId }: Timer) => !seen.has(timerId) && seen.add(timerId);
      return listing((due) => due.filter(isNew))(timers);
    },
  ],
  "list timers that aren't due": [
    "returns timers as they were set",
    (timers) => ({ due: (limit) => timers.find({ userId: "u", limit: limit ?? 100 }) }),
  ],
  "keep times to the second": [
    "keeps times to the millisecond, from 1970 to the last date",
    (timers) => ({
      set: (timer) => timers.set({ ...timer, at: new Date(Math.floor(timer.at.getTime() / 1_000) * 1_000) }),
    }),
  ],
  "keep four digits of a year": [
    "keeps times to the millisecond, from 1970 to the last date",
    (timers) => ({
      set: (timer) =>
        timers.set({ ...timer, at: new Date(Math.min(timer.at.getTime(), 253_402_300_799_999)) }),
    }),
  ],
  "advance whatever the time": [
    "changes nothing if the timer is due at another time",
    (timers) => ({
      advance: async (step) => {
        const timer = await lookUp(timers, step);
        return timers.advance({ ...step, from: timer?.at ?? step.from });
      },
    }),
  ],
  "check the time and then advance": [
    "lets one of several calls at the same time advance a timer",
    (timers) => ({
      advance: async ({ to, from, ...name }) => {
        const timer = await lookUp(timers, name);
        if (timer?.at.getTime() !== from.getTime()) return { success: true, data: false };
        await pause();
        await (to === null ? timers.remove(name) : timers.set({ ...timer, at: to }));
        return { success: true, data: true };
      },
    }),
  ],
  "advance by setting what was read": [
    "doesn't bring back what is erased or removed at the same time",
    (timers) => ({
      advance: async ({ to, ...step }) => {
        const timer = await lookUp(timers, step);
        await pause();
        if (timer !== undefined && to !== null) await timers.set({ ...timer, at: to });
        return { success: true, data: timer !== undefined };
      },
    }),
  ],
  "count timers and then set": [
    "lets a user set a timer for each one that is gone, even if eight calls do at once",
    (timers) => {
      const more = createInMemoryTimers();
      return {
        set: async (timer) => {
          const found = await timers.find({ userId: timer.userId, limit: 10_000 });
          await pause();
          const isFull = found.success && found.data.length >= 1_000;
          if (isFull) return { success: true, data: "full" };
          const answer = await timers.set(timer);
          return answer.success && answer.data === "full" ? more.set(timer) : answer;
        },
      };
    },
  ],
  "refuse to replace a timer at the limit": [
    "stores no more timers of a user than the limit",
    (timers) => ({
      set: async (timer) => {
        const found = await timers.find({ userId: timer.userId, limit: 10_000 });
        const isFull = found.success && found.data.length >= 1_000;
        return isFull ? { success: true, data: "full" } : timers.set(timer);
      },
    }),
  ],
  "show another user's timers of a conversation": [
    "finds only the timers of a conversation",
    (timers) => ({
      find: async (query) => {
        if (query.conversationId === undefined) return timers.find(query);
        const [own, due] = [await timers.find(query), await timers.due(10_000)];
        if (!own.success || !due.success) return own;
        const others = due.data.filter(({ conversationId }) => conversationId === query.conversationId);
        return { ...own, data: [...others, ...own.data] };
      },
    }),
  ],
  "limit before they select a conversation": [
    "finds only the timers of a conversation",
    (timers) => ({
      find: async ({ conversationId, ...query }) => {
        const found = await timers.find(query);
        if (!found.success || conversationId === undefined) return found;
        return { ...found, data: found.data.filter((timer) => timer.conversationId === conversationId) };
      },
    }),
  ],
  "cut long contents": [
    "keeps contents of a megabyte",
    (timers) => ({ set: (timer) => timers.set({ ...timer, content: timer.content.slice(0, 65_535) }) }),
  ],
  "compare ids without regard to case": [
    "keeps hostile ids of one conversation apart",
    naming((name) => ({ ...name, timerId: name.timerId.toLowerCase() })),
  ],
  "join ids to one text": [
    "keeps ids apart that look alike when they are joined",
    naming((name) => ({ ...name, conversationId: "c", timerId: `${name.conversationId}:${name.timerId}` })),
  ],
  "erase only what is due": [
    "erases all timers of a user, and no other user's",
    (timers) => ({
      deleteUser: async (userId) => {
        const found = await timers.due(10_000);
        const own = found.success ? found.data.filter((timer) => timer.userId === userId) : [];
        for (const timer of own) await timers.remove(timer);
        return { success: true, data: own.length };
      },
    }),
  ],
  "erase a conversation's timers of one user": [
    "erases a conversation's timers",
    (timers) => ({
      deleteConversation: async (conversationId) => {
        const found = await timers.find({ userId: "secret user", conversationId });
        if (!found.success) return found;
        for (const timer of found.data) await timers.remove(timer);
        return { success: true, data: found.data.length };
      },
    }),
  ],
  "continue after close": [
    "fails after close, and closes twice",
    () => ({ close: async () => ({ success: true, data: undefined }) }),
  ],
};

function scenario(broken: Broken): TimersScenario {
  const working = createInMemoryTimers();
  const timers = { ...working, ...broken(working) };
  return { timers, other: timers, connect: async () => timers };
}

describe("the kit for timers", () => {
  it.each(Object.entries(mistakes))("finds timers that %s", async (_, [rule, broken]) => {
    await expect(rules[rule]?.(scenario(() => ({})))).resolves.toBeUndefined();
    await expect(rules[rule]?.(scenario(broken))).rejects.toThrow();
  });
});
