import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ExtractInput } from "../../src/extraction/options.ts";
import { holdLease } from "../../src/extraction/worker.ts";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { withMemoryExtract } from "../../src/middleware/extract.ts";
import { factsOf, tea } from "../support/live-turn.ts";
import { assistant, turnOf } from "../support/turn.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Simulates a busy process. */
function passWithoutTimers(milliseconds: number): void {
  const now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now + milliseconds);
}

describe("a lease", () => {
  test("is renewed only while its job waits", async () => {
    const released: number[] = [];
    const held = holdLease({ release: async (delayMs) => void released.push(delayMs) }, 900);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await held.take()).toBe(true);
    const renewed = released.length;
    expect(released).toEqual(Array(renewed).fill(900));
    expect(renewed).toBeGreaterThan(5);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(released).toHaveLength(renewed);
  });

  test("isn't renewed if its job doesn't wait", async () => {
    const release = vi.fn(async () => undefined);
    expect(await holdLease({ release }, 900).take()).toBe(true);
    expect(release).not.toHaveBeenCalled();
  });

  test("that has expired is left to the job's new worker", async () => {
    const release = vi.fn(async () => undefined);
    const held = holdLease({ release }, 900);
    passWithoutTimers(900);
    expect(await held.take()).toBe(false);
    expect(release).not.toHaveBeenCalled();
  });

  test.each([3_600_000, -3_600_000])(
    "is the job's however the clock is set meanwhile: %i ms",
    async (aheadMs) => {
      const release = vi.fn(async () => undefined);
      const held = holdLease({ release }, 900);
      vi.setSystemTime(Date.now() + aheadMs);
      expect(await held.take()).toBe(true);
      expect(release).not.toHaveBeenCalled();
    },
  );

  test("is kept after a late renewal", async () => {
    let isDown = true;
    const release = async (): Promise<void> => {
      if (isDown) throw new Error("down");
    };
    const held = holdLease({ release }, 900);
    await vi.advanceTimersByTimeAsync(300);
    isDown = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await held.take()).toBe(true);
  });
});

test("another user's job gets its attempt despite a flood of slow jobs", async () => {
  const memory = new MemoryUserMemory();
  const extract = ({ userId }: ExtractInput) =>
    userId === "alice" ? Promise.resolve([tea]) : new Promise<never>(() => undefined);
  const options = { memory, extract, concurrency: 1, leaseMs: 1_000, maxAttempts: 1 };
  const errors: unknown[] = [];
  const finish = async (user: string): Promise<void> => {
    const middleware = withMemoryExtract({ user }, { ...options, onError: (error) => errors.push(error) });
    await middleware.onFinish?.(turnOf(["I like tea"]), assistant("ok"));
  };
  for (const user of ["eve", "eve", "mallory", "trudy", "alice", "eve"]) await finish(user);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(await memory.queue.lease({ limit: 10, leaseMs: 1_000 })).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await factsOf(memory)).toEqual(["I like tea"]);
  expect(errors).toHaveLength(5);
  expect(await memory.queue.size()).toBe(0);
});
