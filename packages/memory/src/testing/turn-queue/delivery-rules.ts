import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { forEachConcurrently } from "../fixtures/timing.ts";
import { deliverAll, pointerTo, submitEach, type TurnQueueRules, turnsOf } from "./scenario.ts";

/** Pointers that a queue confuses if it joins the ids. */
const CONFUSABLE = [
  pointerTo("c", "a:b"),
  pointerTo("b:c", "a"),
  pointerTo("c", "a,b"),
  pointerTo("b,c", "a"),
  pointerTo("c", "a/b"),
  pointerTo("b/c", "a"),
  pointerTo("bc", "a"),
  pointerTo("c", "ab"),
  pointerTo('","c', "a"),
  pointerTo("c", 'a","'),
  pointerTo("%3A", ":"),
  pointerTo(":", "%3A"),
];

export const deliveryRules: TurnQueueRules = {
  "delivers a pointer as it was submitted, with a signal": async ({ queue, other, work, until }) => {
    const { deliveries, errors } = work(other);
    expect(await queue.submit(pointerTo("t"))).toEqual({ success: true, data: undefined });
    await until("the pointer is delivered", () => deliveries.length > 0);
    expect(deliveries.map(({ pointer }) => pointer)).toEqual([{ conversationId: "c", turnId: "t" }]);
    expect(deliveries[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(deliveries[0]?.signal.aborted).toBe(false);
    expect(errors).toEqual([]);
  },
  "delivers what was submitted before the worker began, and what comes later": async ({
    queue,
    other,
    work,
    until,
  }) => {
    await submitEach(queue, ["before"]);
    const { turnIds } = work(other);
    await until("the first is delivered", () => turnIds().includes("before"));
    await submitEach(other, ["later"]);
    await until("the second is delivered", () => turnIds().includes("later"));
    await submitEach(queue, ["last"]);
    await until("the third is delivered", () => turnIds().includes("last"));
    expect(turnIds()).toEqual(["before", "later", "last"]);
  },
  "queues a pointer once while it waits": async (scenario) => {
    const { queue, other } = scenario;
    for (const each of [queue, queue, other]) await submitEach(each, ["t"]);
    await submitEach(other, ["u"]);
    expect(await deliverAll(scenario, other)).toEqual(["t", "u"]);
  },
  "queues a pointer once if several clients submit it at the same time": async (scenario) => {
    const { queue, other } = scenario;
    const turnIds = turnsOf("t", 20);
    await Promise.all(
      turnIds.flatMap((turnId) => [queue, other, queue, other].map((each) => submitEach(each, [turnId]))),
    );
    expect((await deliverAll(scenario, queue)).toSorted()).toEqual(turnIds.toSorted());
  },
  "keeps the priority and the time of a pointer that waits": async (scenario) => {
    const { queue, other } = scenario;
    await submitEach(queue, ["a", "b"]);
    await submitEach(queue, ["delayed"], { at: new Date(Date.now() + 3_600_000) });
    await submitEach(other, ["b"], { priority: 10 });
    await submitEach(other, ["a"], { at: new Date(Date.now() + 3_600_000) });
    await submitEach(other, ["delayed"]);
    expect(await deliverAll(scenario, other)).toEqual(["a", "b"]);
  },
  "delivers a pointer again that is submitted after it was handled": async ({
    queue,
    other,
    work,
    until,
  }) => {
    const { turnIds } = work(queue);
    for (const times of [1, 2, 3])
      await until(`the pointer is delivered ${times} times`, async () => {
        // A queue may ignore the pointer as long as it is handled, so it is submitted until it comes.
        if (turnIds().length < times) await submitEach(other, ["t"]);
        return turnIds().length >= times;
      });
  },
  "keeps hostile ids apart": async ({ queue, other, work, until }) => {
    const pointers = [
      ...storableIds.map((id) => pointerTo(id)),
      ...storableIds.map((id) => pointerTo("t", id)),
      ...storableIds.map((id) => pointerTo(id, id)),
      ...CONFUSABLE,
    ];
    const submitted = [...new Set(pointers.map((pointer) => JSON.stringify(pointer)))];
    await forEachConcurrently(submitted, async (pointer) =>
      expectOk(await queue.submit(JSON.parse(pointer))),
    );
    const { deliveries } = work(other, { concurrency: 10 });
    const delivered = () => new Set(deliveries.map(({ pointer }) => JSON.stringify(pointer)));
    await until("all pointers are delivered", () => delivered().size >= submitted.length);
    expect([...delivered()].toSorted()).toEqual(submitted.toSorted());
  },
  "delivers each of 1,000 pointers": async ({ queue, other, work, until }) => {
    const turnIds = turnsOf("t", 1_000);
    const workers = [queue, other].map((each) => work(each, { concurrency: 25 }));
    await forEachConcurrently(turnIds, async (turnId) =>
      submitEach(turnId.endsWith("0") ? other : queue, [turnId]),
    );
    const delivered = () => new Set(workers.flatMap((worker) => worker.turnIds()));
    await until("all pointers are delivered", () => delivered().size >= turnIds.length);
    expect([...delivered()].toSorted()).toEqual(turnIds.toSorted());
    expect(workers.flatMap(({ errors }) => errors)).toEqual([]);
  },
};
