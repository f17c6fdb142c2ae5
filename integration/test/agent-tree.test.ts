import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killTreeAtEveryCall } from "./support/agent-tree/every-call.ts";
import { type Backend, openInMemory } from "./support/crash/backends.ts";

// `pnpm test:stress` does the same on each store, with other kinds of crashes.
describe("three agents in a tree, killed after each external call", () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await openInMemory();
  });
  afterAll(() => backend.close());

  it.each(["call", "conversation"] as const)("are resumed and erased whole: memory %s", async (memory) => {
    const { broken, struck } = await killTreeAtEveryCall(backend, { memory, crashes: ["killed after"] });
    expect(broken).toEqual([]);
    expect(struck).toBeGreaterThan(60);
  });
});
