import { expect, test } from "vitest";
import { inLane } from "../../src/extract/lanes.ts";

test("so many at a time do their work, in their order, whatever fails, and those of another key beside them", async () => {
  const key = {};
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (name: string, lane: object = key) =>
    inLane(lane, 2, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (name === "a") throw new Error("failed");
      return name;
    });
  const all = ["a", "b", "c", "d"].map((name) => enter(name));
  const other = enter("other", {});
  const results = Promise.allSettled([...all, other]);
  await Promise.resolve();
  expect(begun).toEqual(["a", "b", "other"]);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(begun).toEqual(["a", "b", "other", "c", "d"]);
  expect((await results).map(({ status }) => status)).toEqual(["rejected", ...Array(4).fill("fulfilled")]);
});

test("more than a thousand that wait are turned away", async () => {
  const key = {};
  const ends: (() => void)[] = [];
  const enter = () => inLane(key, 1, () => new Promise<void>((resolve) => ends.push(resolve)));
  const entered = Array.from({ length: 1_001 }, enter);
  expect(entered.every((work) => work !== undefined)).toBe(true);
  expect(enter()).toBeUndefined();
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(entered);
});
