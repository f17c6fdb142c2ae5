import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { cancel, deliverAll, pointerTo, submitEach, type TurnQueueRules } from "./scenario.ts";

export const cancelRules: TurnQueueRules = {
  "removes a pointer that waits": async (scenario) => {
    const { queue, other } = scenario;
    await submitEach(queue, ["a", "b", "c"]);
    await submitEach(queue, ["d"], { priority: 5 });
    expect([await cancel(other, "b"), await cancel(other, "d")]).toEqual([true, true]);
    expect([await cancel(queue, "b"), await cancel(other, "d")]).toEqual([false, false]);
    expect(await deliverAll(scenario, other)).toEqual(["a", "c"]);
  },
  "removes a pointer that waits for its time": async (scenario) => {
    const { queue, other } = scenario;
    const at = new Date(Date.now() + 1_000);
    await submitEach(queue, ["a", "b"], { at });
    expect(await cancel(other, "a")).toBe(true);
    expect(await cancel(queue, "a")).toBe(false);
    const { turnIds } = scenario.work(queue);
    await scenario.until("the other pointer is delivered", () => turnIds().includes("b"));
    expect(turnIds()).toEqual(["b"]);
  },
  "removes nothing that doesn't wait": async (scenario) => {
    const { queue, work, until } = scenario;
    expect(await cancel(queue, "unknown")).toBe(false);
    await submitEach(queue, ["t"]);
    expect(expectOk(await queue.cancel(pointerTo("c", "t")))).toBe(false);
    const { turnIds } = work(queue);
    await until("the pointer is delivered", () => turnIds().includes("t"));
    await submitEach(queue, ["u"]);
    await until("the next pointer is delivered", () => turnIds().includes("u"));
    expect(await cancel(queue, "t")).toBe(false);
    expect(turnIds()).toEqual(["t", "u"]);
  },
  "doesn't remove a pointer that is being handled": async ({ queue, other, work, until }) => {
    await submitEach(queue, ["t"]);
    const { running, deliveries, release } = work(queue, { handle: ({ held }) => held });
    await until("the pointer is being handled", () => running() === 1);
    expect([await cancel(other, "t"), await cancel(queue, "t")]).toEqual([false, false]);
    expect(running()).toBe(1);
    expect(deliveries[0]?.signal.aborted).toBe(false);
    release();
    await until("the pointer is handled", () => running() === 0);
    await submitEach(other, ["u"]);
    await until("the next pointer is delivered", () => deliveries.length === 2);
  },
  "lets a canceled pointer be submitted again": async (scenario) => {
    const { queue, other } = scenario;
    await submitEach(queue, ["t", "u"]);
    expect(await cancel(queue, "t")).toBe(true);
    await submitEach(other, ["t"]);
    expect(await deliverAll(scenario, queue)).toEqual(["u", "t"]);
  },
  "removes only the pointer with these ids": async ({ queue, other, work, until }) => {
    const pointers = storableIds.flatMap((id) => [pointerTo(id), pointerTo("c", id)]);
    const isKept = ({
      conversationId,
      turnId,
    }: {
      readonly conversationId: string;
      readonly turnId: string;
    }) => (conversationId.length + turnId.length) % 2 === 0;
    for (const pointer of pointers) expectOk(await queue.submit(pointer));
    for (const pointer of pointers.filter((each) => !isKept(each)))
      expect(expectOk(await other.cancel(pointer)), JSON.stringify(pointer)).toBe(true);
    const textsOf = (some: readonly unknown[]) =>
      [...new Set(some.map((each) => JSON.stringify(each)))].toSorted();
    const kept = textsOf(pointers.filter(isKept));
    const { deliveries } = work(other, { concurrency: 10 });
    await until("all other pointers are delivered", () => deliveries.length >= kept.length);
    expect(textsOf(deliveries.map(({ pointer }) => pointer))).toEqual(kept);
  },
};
