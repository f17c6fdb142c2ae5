import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openTimeLimit } from "../../src/limits/time-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("doesn't restart its timer after it is closed", () => {
  const limit = openTimeLimit({ timeoutMs: 50, option: "test" }, undefined);
  limit.pause();
  limit.close();
  limit.resume();
  limit.between({ timeoutMs: 20, option: "test" })();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(100);
  expect(limit.exceeded()).toBeUndefined();
});

it("restarts the full time when it is resumed", () => {
  const limit = openTimeLimit({ timeoutMs: 50, option: "test" }, undefined);
  vi.advanceTimersByTime(40);
  limit.pause();
  vi.advanceTimersByTime(40);
  limit.resume();
  vi.advanceTimersByTime(40);
  expect(limit.exceeded()).toBeUndefined();
  vi.advanceTimersByTime(10);
  expect(limit.exceeded()).toMatchObject({ timeoutMs: 50 });
});
