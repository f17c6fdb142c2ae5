import { expect } from "vitest";
import type { TurnWorkerOptions } from "../../turn-queue/turn-queue.ts";
import { expectError, expectInvalid, expectOk } from "../fixtures/expectations.ts";
import { refusedIds } from "../fixtures/hostile-ids.ts";
import { deliverAll, pointerTo, submitEach, type TurnQueueRules } from "./scenario.ts";

const NO_PRIORITIES: readonly unknown[] = [
  0.5,
  1_001,
  -1_001,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "1",
  null,
];
const NO_TIMES: readonly unknown[] = [new Date(Number.NaN), new Date(-1), 0, "2026-01-01", null, {}];
const NO_CONCURRENCIES: readonly unknown[] = [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null];

const options: TurnWorkerOptions = { concurrency: 1, handle: async () => {}, onError: () => {} };

export const refusalRules: TurnQueueRules = {
  "refuses invalid ids": async (scenario) => {
    const { queue } = scenario;
    for (const id of refusedIds as readonly string[]) {
      await expectInvalid(() => queue.submit(pointerTo("t", id)), "conversationId");
      await expectInvalid(() => queue.submit(pointerTo(id)), "turnId");
      await expectInvalid(() => queue.cancel(pointerTo("t", id)), "conversationId");
      await expectInvalid(() => queue.cancel(pointerTo(id)), "turnId");
      if (id !== undefined) await expectInvalid(() => queue.submit(pointerTo("t"), { group: id }), "group");
    }
    expect(await deliverAll(scenario, queue)).toEqual([]);
  },
  "refuses invalid priorities and times": async (scenario) => {
    const { queue } = scenario;
    for (const priority of NO_PRIORITIES as readonly number[])
      await expectInvalid(() => queue.submit(pointerTo("t"), { priority }), "priority");
    for (const at of NO_TIMES as readonly Date[])
      await expectInvalid(() => queue.submit(pointerTo("t"), { at }), "at");
    expect(await deliverAll(scenario, queue)).toEqual([]);
  },
  "throws a TypeError that names an invalid option of a worker": async ({ queue }) => {
    const refused = (changed: Readonly<Record<string, unknown>>, named: RegExp) => {
      const work = () => queue.work({ ...options, ...changed } as TurnWorkerOptions);
      expect(work).toThrow(TypeError);
      expect(work).toThrow(named);
    };
    for (const concurrency of NO_CONCURRENCIES) refused({ concurrency }, /concurrency/);
    for (const value of [undefined, null, "handle", {}]) {
      refused({ handle: value }, /handle/);
      refused({ onError: value }, /onError/);
    }
  },
  "fails after close, and closes twice": async ({ queue, other }) => {
    await submitEach(queue, ["t"]);
    expectOk(await queue.close());
    expectOk(await queue.close());
    for (const late of [queue.submit(pointerTo("u")), queue.cancel(pointerTo("t"))])
      expect(expectError(await late, "MemoryConnectionError").retryable).toBe(false);
    expect(() => queue.work(options)).toThrow(TypeError);
    expectOk(await other.close());
  },
};
