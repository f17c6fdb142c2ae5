import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killTreeAtEveryCall } from "./support/agent-tree/every-call.ts";
import { type Backend, openInMemory } from "./support/crash/backends.ts";

// `pnpm test:stress` does the same at every call on each store, with other kinds of crashes.
describe("three agents in a tree, killed after every fifth external call", () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await openInMemory();
  });
  afterAll(() => backend.close());

  it.each(["call", "conversation"] as const)("are resumed and erased whole: memory %s", async (memory) => {
    const { broken, struck } = await killTreeAtEveryCall(backend, {
      memory,
      crashes: ["killed after"],
      every: 5,
    });
    expect(broken).toEqual([]);
    expect(struck).toBeGreaterThan(12);
  });
});
