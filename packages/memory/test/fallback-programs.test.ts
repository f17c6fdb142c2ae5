import { describe, expect, it } from "vitest";
import { runFallbackProgram } from "./support/fallback-program.ts";

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("random programs of two users, with outages, lost replies and crashes, lose, double and mix nothing", () => {
  it.each([
    ["one process", { processes: 1 }],
    ["one process that deletes", { processes: 1, deletes: true }],
    ["two processes over the same stores", { processes: 2, deletes: true }],
  ])("in %s", async (_, options) => {
    for (const seed of seeds(25)) {
      await runFallbackProgram({ ...options, seed, steps: 25 }).catch((thrown: unknown) => {
        throw new Error(`seed ${seed}: ${thrown instanceof Error ? thrown.message : thrown}`, {
          cause: thrown,
        });
      });
    }
    expect.hasAssertions();
  });
});
