import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTimers } from "../../src/engine/timers.ts";

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

  it("leave none behind once they are closed", () => {
    const timers = openTimers();
    const running = timers.start(100, vi.fn());
    timers.start(100, vi.fn()).stop();
    timers.close();
    running.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
