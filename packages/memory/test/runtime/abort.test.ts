import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort } from "../../src/runtime/abort.ts";

const open = () => {
  const controller = new AbortController();
  const { signal } = controller;
  return { controller, signal, listeners: () => getEventListeners(signal, "abort").length };
};

describe("onAbort", () => {
  it("calls each action once, in order, and has one listener for all", () => {
    const { controller, signal, listeners } = open();
    const called: number[] = [];
    for (let index = 0; index < 50; index++) onAbort(signal, () => called.push(index));
    expect(listeners()).toBe(1);
    controller.abort();
    expect(called).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(listeners()).toBe(0);
  });

  it("calls at once where the signal is aborted already", () => {
    const { controller, signal, listeners } = open();
    controller.abort();
    let calls = 0;
    onAbort(signal, () => {
      calls += 1;
    })();
    expect([calls, listeners()]).toEqual([1, 0]);
  });

  it("is taken back by what it returns, alone, also twice, and listens no more once nothing waits", () => {
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

  it("listens again for what is added while the last is removed", () => {
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
