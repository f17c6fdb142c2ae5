import { type Message, pendingToolCalls, planWindow, sanitizeConversation, windowTailOf } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyHistories,
  calls,
  isSystem,
  result,
  said,
  slidingOptions,
  user,
} from "./support/window-histories.ts";

const histories = anyHistories.map((messages) => messages.filter(({ role }) => !isSystem(role)));

const resultsIn = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === "tool").length;

const callsIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, { tool_calls: calls = [] }) => sum + calls.length, 0);

/** Of the whole history, the sanitizer has a call that was given up long ago answered by a second result of another. */
function givesSecond(history: readonly Message[], end: readonly Message[], decisive: number): boolean {
  const before = history.slice(0, history.length - decisive);
  return (
    callsIn(before) > callsIn(sanitizeConversation(before)) &&
    resultsIn(end) > resultsIn(sanitizeConversation(end))
  );
}

/** Of the whole history, the sanitizer has an open call answered by a result of long ago that answers nothing else. */
function takesStray(history: readonly Message[], decisive: readonly Message[]): boolean {
  const before = history.slice(0, history.length - decisive.length);
  return (
    pendingToolCalls(decisive) !== undefined && resultsIn(before) > resultsIn(sanitizeConversation(before))
  );
}

/** What may be said next: results of open calls, and anything else. */
const next = fc.constantFrom<readonly Message[]>(
  [],
  [user("and now?")],
  [result("00"), said("there"), user("and now?")],
  [result("10"), result("11"), said("there")],
  [user("look"), calls("00"), result("00")],
);

describe("the end of a conversation", () => {
  it("gives the window of the whole, now and when more is said", () => {
    let decided = 0;
    fc.assert(
      fc.property(histories, slidingOptions, fc.nat(60), next, (history, options, read, more) => {
        const decisive = windowTailOf(options)?.decisive(history.slice(-read - 1));
        if (decisive === undefined || takesStray(history, decisive)) return;
        if (givesSecond(history, [...decisive, ...more], decisive.length)) return;
        decided += 1;
        const windowOf = (messages: readonly Message[]) =>
          planWindow(sanitizeConversation([...messages, ...more]), options).messages;
        expect(windowOf(decisive)).toEqual(windowOf(history));
      }),
      { numRuns: 3_000 },
    );
    expect(decided).toBeGreaterThan(300);
  });

  it("begins at the last user message behind which the limit is reached", () => {
    const history = [user("0"), said("1"), user("2"), said("3"), user("4"), said("5")];
    expect(windowTailOf({ maxMessages: 2 })?.decisive(history)).toEqual(history.slice(4));
    expect(windowTailOf({ maxMessages: 3 })?.decisive(history)).toEqual(history.slice(2));
    expect(windowTailOf({ maxMessages: 7 })?.decisive(history)).toBeUndefined();
  });

  it("holds the open calls, which don't count, with those of their results that are there", () => {
    const settled = [user("0"), said("1"), user("2"), said("3")];
    const open = [user("look"), calls("a", "b"), result("b")];
    const history = [...settled, ...open];
    expect(windowTailOf({ maxMessages: 3 })?.decisive(history)).toEqual([...settled.slice(2), ...open]);
  });

  it("doesn't tell where a result answers a call of long ago", () => {
    const settled = [user("0"), said("1"), user("2"), said("3")];
    const { decisive } = windowTailOf({ maxMessages: 2 }) ?? {};
    expect(decisive?.([...settled, result("old")])).toBeUndefined();
    expect(decisive?.([...settled, user("look"), calls("a", "b"), result("old")])).toBeUndefined();
    expect(decisive?.([...settled, user("look"), calls("a", "b"), result("a"), result("a")])).toBeUndefined();
  });

  it("says nothing of a window that is trimmed in steps", () => {
    expect(windowTailOf({ maxMessages: 4, trimTo: 2 })).toBeUndefined();
  });

  it("is read in one go", () => {
    expect(windowTailOf({ maxMessages: 20 })?.firstRead).toBe(41);
    expect(windowTailOf({ maxMessages: 1_000_000 })?.firstRead).toBe(10_000);
    expect(windowTailOf({ maxTokens: 8_000 })?.firstRead).toBe(100);
  });
});
