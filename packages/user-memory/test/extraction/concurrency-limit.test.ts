import { expect, test } from "vitest";
import { isQueueFull, withConcurrencyLimit } from "../../src/extraction/concurrency-limit.ts";

test("jobs run in order within the limit of their key, whatever fails", async () => {
  const key = {};
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (name: string, lane: object = key) =>
    withConcurrencyLimit(lane, { concurrency: 2, userId: "u", canBeRefused: true }, async () => {
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

/** A limit of one job at a time. Each job ends on request. */
function lane() {
  const key = {};
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (userId: string, canBeRefused = true) =>
    withConcurrencyLimit(key, { concurrency: 1, userId, canBeRefused }, () => {
      begun.push(userId);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const finish = async (): Promise<void> => {
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { key, begun, enter, finish };
}

test("waiting users take turns, however many jobs each has", async () => {
  const { begun, enter, finish } = lane();
  for (const userId of ["eve", "eve", "eve", "eve", "ann", "bob", "ann"]) void enter(userId);
  await finish();
  expect(begun).toEqual(["eve", "eve", "ann", "bob", "eve", "ann", "eve"]);
});

test("more than 100 waiting jobs of one user are refused, but not those of others", async () => {
  const { enter, finish } = lane();
  const entered = Array.from({ length: 101 }, () => enter("eve"));
  expect(entered.every((work) => work !== undefined)).toBe(true);
  expect(enter("eve")).toBeUndefined();
  expect(enter("ann")).toBeDefined();
  await finish();
});

test("more than 1,000 waiting jobs are refused, except those that can't be refused", async () => {
  const { key, begun, enter, finish } = lane();
  for (let index = 0; index <= 1_000; index++) void enter(`u${index}`);
  expect(isQueueFull(key)).toBe(true);
  expect(enter("ann")).toBeUndefined();
  void enter("bob", false);
  await finish();
  expect(begun).toHaveLength(1_002);
  expect(begun.at(-1)).toBe("bob");
  expect(isQueueFull(key)).toBe(false);
});
