import { createInMemoryProvider } from "@jaf/memory";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { turnFairness } from "../../src/memory/turn-fairness.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function openTurns() {
  const provider = createInMemoryProvider();
  const turns = turnFairness(provider, "c");
  const take = (heldMs: number, contended: boolean): number => {
    vi.advanceTimersByTime(heldMs);
    turns.ended({ heldMs, contended });
    return turns.pauseMs();
  };
  return { provider, turns, take };
}

describe("after a turn that others waited for, too", () => {
  it("the next is left to them for as long as this one took, but no longer than 250 ms", () => {
    const { take } = openTurns();
    expect(take(40, true)).toBe(40);
    expect(take(5_000, true)).toBe(250);
  });

  it("the pause is over once its time is, and is the conversation's alone", () => {
    const { provider, turns, take } = openTurns();
    take(100, true);
    expect(turnFairness(provider, "another").pauseMs()).toBe(0);
    expect(turnFairness(provider, "c").pauseMs()).toBe(100);
    vi.advanceTimersByTime(60);
    expect(turns.pauseMs()).toBe(40);
    vi.advanceTimersByTime(60);
    expect(turns.pauseMs()).toBe(0);
  });

  it("the next three give way as well, should nobody come meanwhile, and then one in four", () => {
    const { take } = openTurns();
    take(10, true);
    const pauses = Array.from({ length: 11 }, () => take(10, false));
    expect(pauses).toEqual([10, 10, 10, 0, 0, 0, 10, 0, 0, 0, 10]);
  });
});

describe("after a turn that nobody else was seen to want", () => {
  it("there is a pause after one in four that follow each other quickly", () => {
    const { take } = openTurns();
    expect(Array.from({ length: 8 }, () => take(10, false))).toEqual([0, 0, 0, 10, 0, 0, 0, 10]);
  });

  it("there is none if a second or more lies before the next", () => {
    const { take } = openTurns();
    const pauses = Array.from({ length: 20 }, () => {
      vi.advanceTimersByTime(1_000);
      return take(3_000, false);
    });
    expect(pauses).toEqual(Array(20).fill(0));
  });
});
