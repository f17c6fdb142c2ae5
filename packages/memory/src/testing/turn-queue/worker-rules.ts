import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { sleep } from "../fixtures/timing.ts";
import { submitEach, type TurnQueueRules, turnsOf } from "./scenario.ts";

export const concurrencyRules: TurnQueueRules = {
  "handles as many pointers at once as a worker allows, and no more": async ({ queue, work, until }) => {
    const turnIds = turnsOf("t", 12);
    await submitEach(queue, turnIds);
    const worker = work(queue, { concurrency: 3, handle: ({ held }) => held });
    await until("three pointers are being handled", () => worker.running() >= 3);
    await sleep(100);
    expect(worker.turnIds()).toHaveLength(3);
    worker.release();
    await until("all are delivered", () => new Set(worker.turnIds()).size === turnIds.length);
    expect(worker.mostRunning()).toBe(3);
  },
  "goes on delivering while one handle takes long": async ({ queue, work, until }) => {
    await submitEach(queue, ["long"], { priority: 1 });
    const others = turnsOf("t", 10);
    await submitEach(queue, others);
    const { turnIds, running } = work(queue, {
      concurrency: 2,
      handle: async ({ pointer, held }) => (pointer.turnId === "long" ? held : undefined),
    });
    await until("all others are delivered", () => turnIds().length === others.length + 1);
    await submitEach(queue, ["new"]);
    await until("a new one is delivered", () => turnIds().includes("new"));
    await until("only the long one is running", () => running() === 1);
  },
  "shares the pointers between workers": async ({ queue, other, work, until }) => {
    const turnIds = turnsOf("t", 40);
    await submitEach(queue, turnIds);
    const workers = [queue, other].map((each) => work(each, { concurrency: 2, handle: ({ held }) => held }));
    for (const { running } of workers) await until("each worker handles two", () => running() === 2);
    for (const { release } of workers) release();
    const delivered = () => workers.flatMap((worker) => worker.turnIds());
    await until("all are delivered", () => new Set(delivered()).size === turnIds.length);
    // A queue may deliver a pointer to both workers, but as the exception.
    expect(delivered().length).toBeLessThan(turnIds.length * 1.5);
  },
  "loses no pointer while workers begin and close": async ({ queue, other, work, until }) => {
    const turnIds = turnsOf("t", 120);
    const workers = [work(queue, { concurrency: 2 })];
    for (const [at, turnId] of turnIds.entries()) {
      await submitEach(at % 2 === 0 ? other : queue, [turnId]);
      if (at % 20 !== 19) continue;
      const closing = workers.at(-1)?.worker.close();
      workers.push(work(at % 40 === 19 ? other : queue, { concurrency: 2 }));
      await closing;
    }
    const delivered = () => new Set(workers.flatMap((worker) => worker.turnIds()));
    await until("all are delivered", () => delivered().size === turnIds.length);
  },
};

export const closingRules: TurnQueueRules = {
  "waits for running handlers as a worker closes, and takes no more": async ({
    queue,
    other,
    work,
    until,
  }) => {
    const turnIds = turnsOf("t", 5);
    await submitEach(queue, turnIds);
    const first = work(queue, { concurrency: 2, handle: ({ held }) => held });
    await until("two pointers are being handled", () => first.running() === 2);
    let closed = false;
    const closing = first.worker.close().then(() => {
      closed = true;
    });
    await submitEach(other, ["during"]);
    await sleep(100);
    expect([closed, first.running()]).toEqual([false, 2]);
    expect(first.deliveries.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    first.release();
    await closing;
    expect(first.running()).toBe(0);
    await first.worker.close();
    await submitEach(other, ["after"]);
    const second = work(other);
    const later = [...turnIds.slice(2), "during", "after"];
    await until("the others are delivered", () => second.deliveries.length >= later.length);
    expect(second.turnIds()).toEqual(later);
    expect(first.turnIds()).toHaveLength(2);
  },
  "closes an idle worker, and keeps what comes later for the next": async ({ queue, other, work, until }) => {
    const first = work(queue);
    await submitEach(queue, ["before"]);
    await until("the first is delivered", () => first.turnIds().includes("before"));
    await first.worker.close();
    await submitEach(other, ["after"]);
    const second = work(queue);
    await until("the second is delivered", () => second.turnIds().includes("after"));
    expect(first.turnIds()).toEqual(["before"]);
  },
  "closes a worker at once after it began": async ({ queue, work, until }) => {
    const workers = Array.from({ length: 5 }, () => work(queue));
    await Promise.all(workers.map(({ worker }) => worker.close()));
    await submitEach(queue, ["t"]);
    const last = work(queue);
    await until("the pointer is delivered", () => last.turnIds().includes("t"));
  },
  "waits for running handlers as the queue closes, and keeps what waits": async ({
    queue,
    other,
    work,
    until,
  }) => {
    await submitEach(queue, ["t", "u"]);
    const first = work(queue, { handle: ({ held }) => held });
    await until("a pointer is being handled", () => first.running() === 1);
    let closed = false;
    const closing = queue.close().then((result) => {
      expectOk(result);
      closed = true;
    });
    await sleep(100);
    expect([closed, first.running()]).toEqual([false, 1]);
    first.release();
    await closing;
    expect([first.running(), first.turnIds()]).toEqual([0, ["t"]]);
    if (other === queue) return;
    const second = work(other);
    await until("the other is delivered", () => second.turnIds().includes("u"));
    expect(second.turnIds()).toEqual(["u"]);
  },
};
