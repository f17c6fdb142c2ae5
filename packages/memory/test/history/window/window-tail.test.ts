import { type Message, sanitizeConversation } from "@jaf/memory";
import { pendingToolCalls, planWindow, type WindowOptions, windowTailOf } from "@jaf/memory/history";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyHistories,
  calls,
  droppedCounts,
  isSystem,
  result,
  said,
  slidingOptions,
  user,
} from "./window-histories.ts";

const histories = fc
  .array(anyHistories, { minLength: 1, maxLength: 4 })
  .map((several) => several.flat().filter(({ role }) => !isSystem(role)));

/** Small, so many of them fit into a history. */
const smallSteps = fc
  .tuple(fc.constantFrom(1, 20), fc.integer({ min: 2, max: 8 }), fc.integer({ min: 1, max: 7 }))
  .filter(([, limit, low]) => low < limit)
  .map(([each, limit, low]) =>
    each === 1 ? { maxMessages: limit, trimTo: low } : { maxTokens: each * limit, trimTo: each * low },
  );

/** Returns the window, using each user message's position in the whole conversation. */
function windowOf(messages: readonly Message[], first: number, options: WindowOptions): readonly Message[] {
  const sanitized = sanitizeConversation(messages);
  const positions: number[] = [];
  let next = 0;
  for (const message of sanitized) {
    if (message.role === "user") next = messages.indexOf(message, next) + 1;
    positions.push(first + next - 1);
  }
  const positionOf = (index: number) => positions[index] ?? 0;
  return planWindow(sanitized, { ...options, dropped: first, positionOf }).messages;
}

const resultsIn = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === "tool").length;

/**
 * Whether there is a surplus result at the end: in the whole history, the sanitizer may match it with a much earlier
 * call that is out of place.
 */
function givesSecond(history: readonly Message[], end: readonly Message[], decisive: number): boolean {
  const before = history.slice(0, history.length - decisive);
  return sanitizeConversation(before) !== before && resultsIn(end) > resultsIn(sanitizeConversation(end));
}

/** Whether an earlier result without a call answers an open call: the sanitizer matches them in the whole history. */
function takesStray(history: readonly Message[], decisive: readonly Message[]): boolean {
  const before = history.slice(0, history.length - decisive.length);
  return (
    pendingToolCalls(decisive) !== undefined && resultsIn(before) > resultsIn(sanitizeConversation(before))
  );
}

/** The next messages: results of open calls, and others. */
const next = fc.constantFrom<readonly Message[]>(
  [],
  [user("and now?")],
  [result("00"), said("there"), user("and now?")],
  [result("10"), result("11"), said("there")],
  [user("look"), calls("00"), result("00")],
);

function decisiveOf(history: readonly Message[], options: WindowOptions): readonly Message[] | undefined {
  const end = windowTailOf(options).endOf(history);
  return end.decides ? end.messages : undefined;
}

describe("the end of a conversation", () => {
  it.each([
    ["sliding", slidingOptions],
    ["in steps", smallSteps],
  ])("gives the window of the whole conversation, now and after more messages, %s", (_, anyOptions) => {
    const given = fc.tuple(histories, anyOptions, droppedCounts);
    const check = (
      [history, options, dropped]: readonly [readonly Message[], WindowOptions, number],
      read: number,
      more: readonly Message[],
    ) => {
      const end = windowTailOf(options).endOf(history.slice(-read - 1));
      fc.pre(end.decides && !takesStray(history, end.messages));
      if (!end.decides) return;
      fc.pre(!givesSecond(history, [...end.messages, ...more], end.messages.length));
      const first = dropped + history.length - end.messages.length;
      expect(windowOf([...end.messages, ...more], first, options)).toEqual(
        windowOf([...history, ...more], dropped, options),
      );
    };
    fc.assert(fc.property(given, fc.nat(120), next, check), { numRuns: 300, maxSkipsPerRun: 200 });
  });

  it("begins at the last user message from which the limit is reached, if the window slides", () => {
    const history = [user("0"), said("1"), user("2"), said("3"), user("4"), said("5")];
    expect(decisiveOf(history, { maxMessages: 2 })).toEqual(history.slice(4));
    expect(decisiveOf(history, { maxMessages: 3 })).toEqual(history.slice(2));
    expect(decisiveOf(history, { maxMessages: 7 })).toBeUndefined();
  });

  it("begins five windows before the end, if the window has a low mark", () => {
    const history = Array.from({ length: 20 }, (_, n) => [user(`${n}`), said(`${n}`)]).flat();
    expect(decisiveOf(history, { maxMessages: 4, trimTo: 2 })).toEqual(history.slice(-22));
    expect(decisiveOf(history, { maxMessages: 8, trimTo: 2 })).toBeUndefined();
  });

  it("begins at or before an additional needed message", () => {
    const history = [user("0"), said("1"), user("2"), said("3"), user("4"), said("5")];
    const { endOf } = windowTailOf({ maxMessages: 1 });
    expect(endOf(history, 4)).toEqual({ decides: true, messages: history.slice(4) });
    expect(endOf(history, 3)).toEqual({ decides: true, messages: history.slice(2) });
    expect(endOf(history, -6)).toEqual({ decides: false, readNext: 48 });
    expect(endOf(history, -600)).toEqual({ decides: false, readNext: 1_212 });
  });

  it("says how many messages to read next, or that only all are enough", () => {
    const history = [user("0"), said("1"), user("2"), said("3")];
    const next = (messages: readonly Message[], options: WindowOptions) =>
      windowTailOf(options).endOf(messages);
    expect(next(history, { maxMessages: 5 })).toEqual({ decides: false, readNext: 32 });
    expect(next(history, { maxMessages: 5_000 })).toEqual({ decides: false, readNext: 10_000 });
    expect(next([...history, result("old")], { maxMessages: 2 })).toEqual({ decides: false });
    expect(next([], { maxMessages: 2 })).toEqual({ decides: false });
  });

  it("contains the pending calls with their existing results, without counting them", () => {
    const settled = [user("0"), said("1"), user("2"), said("3")];
    const open = [user("look"), calls("a", "b"), result("b")];
    const history = [...settled, ...open];
    expect(decisiveOf(history, { maxMessages: 3 })).toEqual([...settled.slice(2), ...open]);
  });

  it("isn't enough if a result answers a much earlier call", () => {
    const settled = [user("0"), said("1"), user("2"), said("3")];
    const two = { maxMessages: 2 };
    expect(decisiveOf([...settled, result("old")], two)).toBeUndefined();
    expect(decisiveOf([...settled, user("look"), calls("a", "b"), result("old")], two)).toBeUndefined();
    expect(
      decisiveOf([...settled, user("look"), calls("a", "b"), result("a"), result("a")], two),
    ).toBeUndefined();
  });

  it("is read in one call", () => {
    expect(windowTailOf({ maxMessages: 20 }).firstRead).toBe(41);
    expect(windowTailOf({ maxMessages: 20, trimTo: 10 }).firstRead).toBe(121);
    expect(windowTailOf({ maxMessages: 1_000_000 }).firstRead).toBe(10_000);
    expect(windowTailOf({ maxTokens: 8_000 }).firstRead).toBe(100);
  });
});
