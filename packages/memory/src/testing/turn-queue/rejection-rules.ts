import { expect } from "vitest";
import { sleep } from "../fixtures/timing.ts";
import { cancel, submitEach, type TurnQueueRules, turnsOf } from "./scenario.ts";

const SECRET = "a secret of the turn";
const MOST_IN_TWO_SECONDS = 20;

const fail = async (): Promise<void> => {
  throw new Error(SECRET);
};

export const rejectionRules: TurnQueueRules = {
  "delivers a pointer again, whatever its handle rejected with": async ({ queue, work, until, contents }) => {
    const thrown: Readonly<Record<string, unknown>> = {
      error: new Error(SECRET),
      nothing: undefined,
      null: null,
      text: SECRET,
      frozen: Object.freeze({ message: SECRET }),
    };
    const turnIds = Object.keys(thrown);
    await submitEach(queue, turnIds);
    const { deliveries, errors } = work(queue, {
      concurrency: turnIds.length,
      handle: async ({ pointer, times }) => {
        if (times === 1) throw thrown[pointer.turnId];
      },
    });
    await until("each pointer was delivered", () => deliveries.length >= turnIds.length);
    expect((await contents?.()) ?? "").not.toContain(SECRET);
    const again = () => deliveries.filter(({ times }) => times === 2).map(({ pointer }) => pointer.turnId);
    await until("each pointer is delivered again", () => again().length === turnIds.length);
    expect(again().toSorted()).toEqual(turnIds.toSorted());
    expect(errors).toEqual([]);
  },
  "delivers a pointer a fifth time if its handle rejected four times": async ({ queue, work, until }) => {
    await submitEach(queue, ["t"]);
    const { deliveries } = work(queue, { handle: async ({ times }) => (times < 5 ? fail() : undefined) });
    for (const times of [1, 2, 3, 4, 5])
      await until(`the pointer is delivered ${times} times`, () => deliveries.length >= times);
  },
  "leaves time before it delivers a pointer again": async ({ queue, work, until }) => {
    await submitEach(queue, ["t"]);
    const { deliveries } = work(queue, { concurrency: 5, handle: fail });
    await until("the pointer is delivered", () => deliveries.length > 0);
    await sleep(2_000);
    expect(deliveries.length).toBeLessThanOrEqual(MOST_IN_TWO_SECONDS);
  },
  "delivers other pointers while a rejected one waits": async ({ queue, work, until }) => {
    await submitEach(queue, ["rejected"], { priority: 10 });
    const others = turnsOf("t", 20);
    await submitEach(queue, others);
    const { turnIds } = work(queue, {
      handle: async ({ pointer }) => (pointer.turnId === "rejected" ? fail() : undefined),
    });
    await until("all others are delivered", () => new Set(turnIds()).size === others.length + 1);
  },
  "queues a rejected pointer once while it waits": async ({ queue, other, work, until }) => {
    await submitEach(queue, ["t"]);
    const first = work(queue, { handle: fail });
    await until("the pointer is delivered", () => first.deliveries.length > 0);
    await first.worker.close();
    for (const each of [queue, other]) await submitEach(each, ["t"]);
    const second = work(other);
    await until("the pointer is delivered again", () => second.deliveries.length > 0);
    // The queue knows that a handle has resolved once the worker has closed. A second job would be left for `cancel`.
    await second.worker.close();
    expect(await cancel(queue, "t")).toBe(false);
    expect(second.turnIds()).toEqual(["t"]);
  },
  "removes a rejected pointer that waits": async ({ queue, other, work, until }) => {
    await submitEach(queue, ["t"]);
    const { deliveries } = work(queue, { handle: fail });
    await until("the pointer is delivered", () => deliveries.length > 0);
    await until("the pointer is removed", () => cancel(other, "t"));
    expect(await cancel(other, "t")).toBe(false);
  },
  "delivers a pointer to another worker if its worker closes and rejects": async ({
    queue,
    other,
    work,
    until,
  }) => {
    await submitEach(queue, ["t"]);
    const first = work(queue, {
      handle: async ({ held }) => {
        await held;
        await fail();
      },
    });
    await until("the pointer is delivered", () => first.deliveries.length > 0);
    const closing = first.worker.close();
    const second = work(other);
    first.release();
    await closing;
    await until("the pointer is delivered again", () => second.deliveries.length > 0);
    expect(first.deliveries).toHaveLength(1);
  },
};
