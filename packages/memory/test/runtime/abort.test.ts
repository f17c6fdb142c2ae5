import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { withDeadline } from "../../src/adapter.ts";
import { onAbort } from "../../src/runtime/abort.ts";

const open = () => {
  const controller = new AbortController();
  const { signal } = controller;
  return { controller, signal, listeners: () => getEventListeners(signal, "abort").length };
};

describe("onAbort", () => {
  it("calls each action once, in order, with one listener for all", () => {
    const { controller, signal, listeners } = open();
    const called: number[] = [];
    for (let index = 0; index < 50; index++) onAbort(signal, () => called.push(index));
    expect(listeners()).toBe(1);
    controller.abort();
    expect(called).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(listeners()).toBe(0);
  });

  it("calls immediately if the signal is already aborted", () => {
    const { controller, signal, listeners } = open();
    controller.abort();
    let calls = 0;
    onAbort(signal, () => {
      calls += 1;
    })();
    expect([calls, listeners()]).toEqual([1, 0]);
  });

  it("stops with the returned function, only for this action, even if called twice, and removes the last listener", () => {
    const { controller, signal, listeners } = open();
    let calls = 0;
    const action = () => {
      calls += 1;
    };
    const first = onAbort(signal, action);
    const second = onAbort(signal, action);
    first();
    first();
    expect(listeners()).toBe(1);
    second();
    expect(listeners()).toBe(0);
    onAbort(signal, action);
    controller.abort();
    second();
    expect([calls, listeners()]).toEqual([1, 0]);
  });

  it("listens again for an action that is added while the last is removed", () => {
    const { controller, signal, listeners } = open();
    const stop = onAbort(signal, () => {});
    stop();
    let called = false;
    onAbort(signal, () => {
      called = true;
    });
    stop();
    expect(listeners()).toBe(1);
    controller.abort();
    expect(called).toBe(true);
  });
});

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

describe("withDeadline", () => {
  it("returns the outcome in time, and leaves no timer", async () => {
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

  it("rejects with a clear error after the timeout", async () => {
    await expect(withDeadline(never(), { timeoutMs: 1 })).rejects.toThrow("no answer within 1 ms");
    const timeoutError = () => new RangeError("mine");
    await expect(withDeadline(never(), { timeoutMs: 1, timeoutError })).rejects.toThrow(timeoutError());
  });

  it("is cancelled by a signal, even by an already aborted one", async () => {
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
