import { describe, expect, it } from "vitest";
import type { MemoryProvider } from "../src/index.ts";
import { runCheck } from "../src/testing/scenario.ts";
import { specs } from "../src/testing/specs/index.ts";
import { openIntact } from "./support/broken.ts";
import { brokenReaders } from "./support/broken-readers.ts";
import { brokenWriters } from "./support/broken-writers.ts";

const rules = specs.flatMap(({ subject, rules }) =>
  Object.entries(rules).map(([title, check]) => ({ name: `${subject}: ${title}`, check })),
);

/** Applies one rule of the kit to a provider; rejects if the provider breaks it. */
async function apply(name: string, open: () => MemoryProvider): Promise<void> {
  const rule = rules.find((candidate) => candidate.name === name) ?? expect.fail(`no rule "${name}"`);
  const createStore = async () => {
    const provider = open();
    return { provider, dispose: async () => void (await provider.close()) };
  };
  await runCheck({ name: "subject", createStore }, rule.check);
}

describe("the conformance kit", () => {
  it.concurrent.each(Object.entries({ ...brokenWriters, ...brokenReaders }))(
    "catches a provider that %s",
    async (_, { open, caughtBy }) => {
      const [intact, broken] = await Promise.allSettled([apply(caughtBy, openIntact), apply(caughtBy, open)]);
      expect(intact).toEqual({ status: "fulfilled", value: undefined });
      expect(broken.status).toBe("rejected");
    },
  );

  it("has no two rules of the same name", () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  });
});
