import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { retryWithBackoff } from "../../src/adapter.ts";

describe("retryWithBackoff", () => {
  const soon = { baseDelayMs: 0, isTransientError: () => true };

  it("retries while the outcome is transient", async () => {
    const call = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(new Error("a"))
      .mockResolvedValueOnce(0);
    const isTransientResult = (result: number) => result === 0;
    call.mockResolvedValue(1);
    expect(await retryWithBackoff(call, { ...soon, isTransientResult })).toBe(1);
    expect(call).toHaveBeenCalledTimes(3);
  });

  it("returns the last outcome after all attempts, 5 by default", async () => {
    const call = vi.fn(async () => {
      throw new Error(`${call.mock.calls.length}`);
    });
    await expect(retryWithBackoff(call, soon)).rejects.toThrow("5");
    await expect(retryWithBackoff(call, { ...soon, maxAttempts: 1 })).rejects.toThrow("6");
  });

  it("retries nothing that isn't declared transient", async () => {
    const call = vi.fn(async () => {
      throw new Error("once");
    });
    await expect(retryWithBackoff(call, {})).rejects.toThrow("once");
    expect(call).toHaveBeenCalledOnce();
    expect(await retryWithBackoff(async () => undefined, {})).toBeUndefined();
  });

  it("waits at most twice as long each time, randomised, and reports it", async () => {
    const delays: number[] = [];
    const onRetry = vi.fn((_attempt: number, delayMs: number) => delays.push(delayMs));
    const options = { maxAttempts: 5, baseDelayMs: 2, maxDelayMs: 5, random: () => 0.5, onRetry };
    await expect(
      retryWithBackoff(() => Promise.reject(new Error("x")), { ...soon, ...options }),
    ).rejects.toThrow();
    expect(delays).toEqual([1, 2, 2.5, 2.5]);
    expect(onRetry.mock.calls.map(([attempt]) => attempt)).toEqual([1, 2, 3, 4]);
    expect(onRetry.mock.calls[0]?.slice(2)).toEqual([{ thrown: new Error("x") }]);
  });

  it("begins no attempt after its time limit", async () => {
    const call = vi.fn(() => Promise.reject(new Error("x")));
    const times = { baseDelayMs: 1_000, maxElapsedMs: 100, random: () => 1, isTransientError: () => true };
    await expect(retryWithBackoff(call, times)).rejects.toThrow("x");
    expect(call).toHaveBeenCalledOnce();
  });

  it("stops waiting when the signal aborts, and leaves no listener", async () => {
    const controller = new AbortController();
    const call = vi.fn(() => Promise.reject(new Error("x")));
    const onRetry = () => setTimeout(() => controller.abort(), 1);
    const { signal } = controller;
    const options = {
      ...soon,
      baseDelayMs: 60_000,
      maxDelayMs: 60_000,
      maxElapsedMs: 100_000,
      random: () => 1,
    };
    await expect(retryWithBackoff(call, { ...options, signal, onRetry })).rejects.toThrow("x");
    expect(call).toHaveBeenCalledOnce();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await expect(retryWithBackoff(call, { ...soon, signal })).rejects.toThrow("x");
    expect(call).toHaveBeenCalledTimes(2);
  });
});
