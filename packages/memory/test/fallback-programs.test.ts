import { describe, expect, it } from "vitest";
import { runFallbackProgram } from "./support/fallback-program.ts";

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("random programs of two users, with outages, lost replies and crashes, lose, double and mix nothing", () => {
  it.each([
    ["one process", 1],
    ["two processes over the same stores", 2],
  ])("in %s", async (_, processes) => {
    for (const seed of seeds(30)) {
      await runFallbackProgram({ seed, processes, steps: 25 }).catch((thrown: unknown) => {
        throw new Error(`seed ${seed}: ${thrown instanceof Error ? thrown.message : thrown}`, {
          cause: thrown,
        });
      });
    }
    expect.hasAssertions();
  });
});
