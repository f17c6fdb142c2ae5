import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { reportError, reportFailure } from "../src/errors.ts";

const warned = () => vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
afterEach(() => {
  vi.restoreAllMocks();
});

const failure = { code: "storage", operation: "remember", message: "no", retryable: true } as const;

const FAILING = {
  throws: () => {
    throw new Error("secret");
  },
  rejects: async () => {
    throw new Error("secret");
  },
};

test.each(Object.entries(FAILING))("an onError that %s causes a warning", async (_, onError) => {
  const emit = warned();
  reportError({ onError }, { ...failure, cause: new Error("no") });
  reportFailure({ onError }, new Error("no"));
  await wait();
  expect(emit.mock.calls).toEqual([1, 2].map(() => ["User memory: onError failed.", expect.anything()]));
});

test("an unreadable error is reported, too, and nothing is thrown", () => {
  const hostile = Object.defineProperty(new Error("no"), "name", {
    get: () => {
      throw new Error("secret");
    },
  });
  const emit = warned();
  const told: unknown[] = [];
  reportFailure({}, hostile);
  reportError({}, { ...failure, cause: hostile });
  reportFailure({ onError: (error) => told.push(error) }, hostile);
  reportError({ onError: (error) => told.push(error) }, { ...failure, cause: hostile });
  expect(emit).toHaveBeenCalledTimes(2);
  expect(told).toMatchObject([hostile, { code: "storage" }]);
});
