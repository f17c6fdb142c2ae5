import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { createKeyedQueue, retryWithBackoff, withDeadline } from "../../src/adapter.ts";

const never = () => new Promise<never>(() => {});

/** A promise that the test settles. */
function pending<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const turns = async (count = 10) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

describe("createKeyedQueue", () => {
  it("runs the tasks of a key one after another, in their order, and others meanwhile", async () => {
    const { run } = createKeyedQueue();
    const log: string[] = [];
    const gate = pending();
    const first = run("a", async () => {
      log.push("a1 begins");
      await gate.promise;
      log.push("a1 ends");
      return 1;
    });
    const second = run("a", async () => log.push("a2"));
    await run("b", async () => log.push("b1"));
    expect(log).toEqual(["a1 begins", "b1"]);
    gate.resolve();
    expect(await first).toBe(1);
    await second;
    expect(log).toEqual(["a1 begins", "b1", "a1 ends", "a2"]);
  });

  it("goes on after a task that failed, and only its caller gets the failure", async () => {
    const { run } = createKeyedQueue();
    const failing = run("a", async () => {
      throw new Error("first");
    });
    const thrown = run("a", () => {
      throw new Error("second");
    });
    const third = run("a", async () => 3);
    await expect(failing).rejects.toThrow("first");
    await expect(thrown).rejects.toThrow("second");
    expect(await third).toBe(3);
  });

  it("runs a task alone after all that came before and ahead of all that come later", async () => {
    const { run, runAlone } = createKeyedQueue();
    const log: string[] = [];
    const gates = { a: pending(), alone: pending() };
    const before = run("a", async () => {
      await gates.a.promise;
      log.push("a");
    });
    const alone = runAlone(async () => {
      log.push("alone begins");
      await gates.alone.promise;
      log.push("alone ends");
    });
    const after = run("b", async () => log.push("b"));
    const last = runAlone(async () => log.push("last"));
    await turns();
    expect(log).toEqual([]);
    gates.a.resolve();
    await before;
    await turns();
    expect(log).toEqual(["a", "alone begins"]);
    gates.alone.resolve();
    await Promise.all([alone, after, last]);
    expect(log).toEqual(["a", "alone begins", "alone ends", "b", "last"]);
  });

  it("goes on after one that failed alone", async () => {
    const { run, runAlone } = createKeyedQueue();
    const failing = runAlone(async () => {
      throw new Error("alone");
    });
    await expect(failing).rejects.toThrow("alone");
    expect(await run("a", async () => 1)).toBe(1);
  });
});

describe("withDeadline", () => {
  it("gives the outcome in time, and leaves no timer", async () => {
    vi.useFakeTimers();
    try {
      expect(await withDeadline(Promise.resolve(1), { timeoutMs: 5 })).toBe(1);
      const failing = withDeadline(Promise.reject(new Error("its own")), { timeoutMs: 5 });
      await expect(failing).rejects.toThrow("its own");
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("rejects with a clear error when it is late", async () => {
    await expect(withDeadline(never(), { timeoutMs: 1 })).rejects.toThrow("no answer within 1 ms");
    const timeoutError = () => new RangeError("mine");
    await expect(withDeadline(never(), { timeoutMs: 1, timeoutError })).rejects.toThrow(timeoutError());
  });

  it("is lifted by a signal, also by one that has aborted before", async () => {
    const aborted = AbortSignal.abort();
    const cancelling = new AbortController();
    const first = pending<number>();
    const waiting = Promise.all([
      withDeadline(first.promise, { timeoutMs: 1, cancelledBy: aborted }),
      withDeadline(first.promise, { timeoutMs: 20, cancelledBy: cancelling.signal }),
    ]);
    cancelling.abort();
    setTimeout(() => first.resolve(7), 40);
    expect(await waiting).toEqual([7, 7]);
    expect(getEventListeners(cancelling.signal, "abort")).toEqual([]);
  });
});

describe("retryWithBackoff", () => {
  const soon = { baseDelayMs: 0, isTransientError: () => true };

  it("calls again for as long as what comes of it may pass", async () => {
    const call = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(new Error("a"))
      .mockResolvedValueOnce(0);
    const isTransientResult = (result: number) => result === 0;
    call.mockResolvedValue(1);
    expect(await retryWithBackoff(call, { ...soon, isTransientResult })).toBe(1);
    expect(call).toHaveBeenCalledTimes(3);
  });

  it("gives the last outcome when attempts are over, 5 by default", async () => {
    const call = vi.fn(async () => {
      throw new Error(`${call.mock.calls.length}`);
    });
    await expect(retryWithBackoff(call, soon)).rejects.toThrow("5");
    await expect(retryWithBackoff(call, { ...soon, maxAttempts: 1 })).rejects.toThrow("6");
  });

  it("takes nothing for passing that nobody says may pass", async () => {
    const call = vi.fn(async () => {
      throw new Error("once");
    });
    await expect(retryWithBackoff(call, {})).rejects.toThrow("once");
    expect(call).toHaveBeenCalledOnce();
    expect(await retryWithBackoff(async () => undefined, {})).toBeUndefined();
  });

  it("waits at most twice as long each time, spread at random, and reports it", async () => {
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

  it("begins no attempt after its time", async () => {
    const call = vi.fn(() => Promise.reject(new Error("x")));
    const times = { baseDelayMs: 1_000, maxElapsedMs: 100, random: () => 1, isTransientError: () => true };
    await expect(retryWithBackoff(call, times)).rejects.toThrow("x");
    expect(call).toHaveBeenCalledOnce();
  });

  it("ends waiting when the signal aborts, and leaves no listener", async () => {
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
