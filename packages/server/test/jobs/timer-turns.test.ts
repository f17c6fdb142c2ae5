import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTimerTurns } from "../../src/jobs/timer-turns.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(isStuck: (userId: string) => boolean) {
  const begun: string[] = [];
  const errors: string[] = [];
  const over = new AbortController();
  const begin = createTimerTurns({
    goOn: async ({ userId }) => {
      begun.push(userId);
      if (isStuck(userId)) await new Promise(() => {});
    },
    onError: (error) => void errors.push(String(error)),
    signal: over.signal,
  });
  const due = (userId: string) => begin({ userId, conversationId: "c" });
  return { begun, errors, due, close: () => over.abort() };
}

it("users whose turns don't begin hold up 16 places for ten seconds, and no place again", async () => {
  const { begun, errors, due, close } = start((userId) => userId !== "ada");
  for (let count = 0; count < 16; count++) due(`stuck${count}`);
  due("ada");
  await vi.advanceTimersByTimeAsync(9_999);
  expect(begun).not.toContain("ada");
  await vi.advanceTimersByTimeAsync(1);
  expect(begun.at(-1)).toBe("ada");
  expect(errors).toHaveLength(16);
  expect(errors[0]).toContain("didn't begin within 10000 ms");
  for (let count = 0; count < 16; count++) due(`stuck${count}`);
  due("ada");
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(18);
  close();
});

it("all timers of a user that are due meanwhile begin turns once", async () => {
  const { begun, errors, due, close } = start(() => false);
  for (let count = 0; count < 100; count++) due("ada");
  due("eve");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(begun).toEqual(["ada", "eve", "ada"]);
  expect(errors).toEqual([]);
  close();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});
