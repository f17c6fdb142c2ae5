import { describe, expect, it } from "vitest";
import { createKeyedQueue } from "../../src/adapter.ts";

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

const microtasks = async (count = 10) => {
  for (let at = 0; at < count; at++) await Promise.resolve();
};

describe("createKeyedQueue", () => {
  it("runs the tasks of a key one after another, in order, and others concurrently", async () => {
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

  it("continues after a failed task, and only its caller gets the error", async () => {
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

  it("runs a task alone, after all earlier and before all later ones", async () => {
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
    await microtasks();
    expect(log).toEqual([]);
    gates.a.resolve();
    await before;
    await microtasks();
    expect(log).toEqual(["a", "alone begins"]);
    gates.alone.resolve();
    await Promise.all([alone, after, last]);
    expect(log).toEqual(["a", "alone begins", "alone ends", "b", "last"]);
  });

  it("continues after a failed task that ran alone", async () => {
    const { run, runAlone } = createKeyedQueue();
    const failing = runAlone(async () => {
      throw new Error("alone");
    });
    await expect(failing).rejects.toThrow("alone");
    expect(await run("a", async () => 1)).toBe(1);
  });
});
