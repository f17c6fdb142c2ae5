import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTimers } from "../../src/timing/timers.ts";

describe("the timers of a run", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("give one that is used again its full time, and its new action alone", () => {
    const timers = openTimers();
    const [first, second] = [vi.fn(), vi.fn()];
    const timer = timers.start(100, first);
    vi.advanceTimersByTime(60);
    timer.stop();
    timers.start(100, second);
    vi.advanceTimersByTime(99);
    expect(second).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(second).toHaveBeenCalledTimes(1);
    expect(first).not.toHaveBeenCalled();
  });

  it("run side by side", () => {
    const timers = openTimers();
    const [first, second] = [vi.fn(), vi.fn()];
    timers.start(100, first).stop();
    timers.start(100, first);
    timers.start(100, second);
    vi.advanceTimersByTime(100);
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it("can be used again once their time was up", () => {
    const timers = openTimers();
    const [first, second] = [vi.fn(), vi.fn()];
    const timer = timers.start(100, first);
    vi.advanceTimersByTime(100);
    timer.stop();
    timers.start(100, second);
    vi.advanceTimersByTime(100);
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it("of different lengths end in their order, by one timer of the platform", () => {
    const timers = openTimers();
    const ended: string[] = [];
    const times = [300, 100, 200, 100].map((length, index) =>
      timers.start(length, () => ended.push(`${length} (${index})`)),
    );
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(150);
    times[2]?.stop();
    timers.start(50, () => ended.push("50"));
    vi.advanceTimersByTime(1_000);
    expect(ended).toEqual(["100 (1)", "100 (3)", "50", "300 (0)"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may be started and stopped when the time of one is up", () => {
    const timers = openTimers();
    const late = vi.fn();
    timers.start(100, () => {
      other.stop();
      timers.start(10, late);
    });
    const other = timers.start(100, () => expect.fail("it was stopped"));
    vi.advanceTimersByTime(110);
    expect(late).toHaveBeenCalledTimes(1);
  });

  it("keep the time of those that still run when they are closed", () => {
    const timers = openTimers();
    const action = vi.fn();
    timers.start(100, action);
    timers.close();
    vi.advanceTimersByTime(100);
    expect(action).toHaveBeenCalledTimes(1);
  });

  it("are never set for longer than a timer can wait, however the clock's fractions round", () => {
    const set = vi.spyOn(globalThis, "setTimeout");
    for (const start of [7.4074, 8.64197, 9.87654]) {
      vi.spyOn(performance, "now").mockReturnValue(start);
      openTimers().start(Number.MAX_SAFE_INTEGER, vi.fn());
    }
    expect(set.mock.calls.map(([, delayMs]) => delayMs)).toEqual(Array(3).fill(2 ** 31 - 1));
    vi.restoreAllMocks();
  });

  it("leave none behind once they are closed", () => {
    const timers = openTimers();
    const running = timers.start(100, vi.fn());
    timers.start(100, vi.fn()).stop();
    timers.close();
    running.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
