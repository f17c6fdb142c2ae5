import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { storableIds } from "../fixtures/hostile-ids.ts";
import { deliverAll, pointerTo, submitEach, type TurnQueueRules, turnsOf } from "./scenario.ts";

const HOUR_MS = 3_600_000;
/** How much the clocks of a queue's server and of this process may differ. */
const CLOCKS_MS = 1_000;
const LATEST = new Date(8_640_000_000_000_000);

export const orderRules: TurnQueueRules = {
  "delivers in the order of submission": async (scenario) => {
    const turnIds = turnsOf("t", 30);
    for (const [at, turnId] of turnIds.entries())
      await submitEach(at % 2 === 0 ? scenario.queue : scenario.other, [turnId]);
    expect(await deliverAll(scenario, scenario.other)).toEqual(turnIds);
  },
  "delivers those with the highest priority first, and equal ones in their order": async (scenario) => {
    const { queue, other } = scenario;
    await submitEach(queue, ["low 1"], { priority: -1 });
    await submitEach(queue, ["lowest 1"], { priority: -999 });
    await submitEach(queue, ["plain 1"]);
    await submitEach(other, ["high 1"], { priority: 2 });
    await submitEach(queue, ["highest 1"], { priority: 1_000 });
    await submitEach(other, ["plain 2"], { priority: 0 });
    await submitEach(other, ["low 2"], { priority: -1 });
    await submitEach(other, ["highest 2"], { priority: 1_000 });
    await submitEach(queue, ["high 2"], { priority: 2 });
    await submitEach(queue, ["plain 3"]);
    expect(await deliverAll(scenario, queue)).toEqual([
      ...["highest 1", "highest 2", "high 1", "high 2", "plain 1", "plain 2", "plain 3"],
      ...["low 1", "low 2", "lowest 1"],
    ]);
  },
  "delivers a pointer at its time, and not earlier": async ({ queue, other, work, until }) => {
    const times = new Map<string, number>();
    const { turnIds } = work(other, {
      handle: async ({ pointer }) => {
        times.set(pointer.turnId, Date.now());
      },
    });
    const at = new Date(Date.now() + 3_000);
    await submitEach(queue, ["later"], { at, priority: 1_000 });
    await submitEach(queue, ["now"]);
    await until("both are delivered", () => times.size === 2);
    expect(turnIds()).toEqual(["now", "later"]);
    expect(times.get("later")).toBeGreaterThanOrEqual(at.getTime() - CLOCKS_MS);
  },
  "delivers a pointer at its time if a worker only begins then": async ({ queue, other, work, until }) => {
    const at = new Date(Date.now() + 500);
    await submitEach(queue, ["t"], { at });
    await until("it is time", () => Date.now() > at.getTime());
    const { turnIds } = work(other);
    await until("the pointer is delivered", () => turnIds().includes("t"));
  },
  "delivers a pointer by its priority when it is due": async (scenario) => {
    const { queue, until } = scenario;
    const at = new Date(Date.now() + 500);
    await submitEach(queue, ["plain"]);
    await submitEach(queue, ["high"], { at, priority: 10 });
    await submitEach(queue, ["low"], { at, priority: -10 });
    await until("it is time", () => Date.now() > at.getTime() + CLOCKS_MS);
    expect(await deliverAll(scenario, queue)).toEqual(["high", "plain", "low"]);
  },
  "delivers at once what is due already": async ({ queue, work, until }) => {
    await submitEach(queue, ["first"], { at: new Date(0) });
    await submitEach(queue, ["second"], { at: new Date(Date.now() - HOUR_MS) });
    const { turnIds } = work(queue);
    await until("both are delivered", () => turnIds().length === 2);
  },
  "keeps what is due much later": async (scenario) => {
    const { queue, other } = scenario;
    const days = (count: number) => new Date(Date.now() + count * 24 * HOUR_MS);
    for (const [turnId, at] of Object.entries({
      week: days(7),
      months: days(60),
      years: days(4_000),
      LATEST,
    }))
      expectOk(await queue.submit(pointerTo(turnId), { at }));
    await submitEach(queue, ["now"]);
    expect(await deliverAll(scenario, other)).toEqual(["now"]);
    for (const turnId of ["week", "months", "years", "LATEST"])
      expect(await other.cancel(pointerTo(turnId)), turnId).toEqual({ success: true, data: true });
  },
  "delivers pointers of any group": async ({ queue, work, until }) => {
    for (const [at, group] of storableIds.entries())
      expectOk(await queue.submit(pointerTo(`t ${at}`), { group }));
    const { turnIds } = work(queue, { concurrency: 10 });
    await until("all pointers are delivered", () => new Set(turnIds()).size === storableIds.length);
  },
  "queues a pointer once, whatever its group": async (scenario) => {
    const { queue, other } = scenario;
    await submitEach(queue, ["t"], { group: "a" });
    await submitEach(other, ["t"], { group: "b" });
    await submitEach(other, ["t"]);
    expect(await deliverAll(scenario, other)).toEqual(["t"]);
  },
};
