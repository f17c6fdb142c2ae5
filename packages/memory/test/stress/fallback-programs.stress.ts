import { expect, it } from "vitest";
import { runFallbackProgram } from "../support/fallback-program.ts";

const PROGRAMS = 1_500;

it.each([1, 2, 3])(
  `${PROGRAMS} random programs of two users in %d processes lose, double and mix nothing`,
  async (processes) => {
    for (let seed = 10_000; seed < 10_000 + PROGRAMS; seed++) {
      await runFallbackProgram({ seed, processes, steps: 40, deletes: seed % 2 === 0 }).catch(
        (thrown: unknown) => {
          throw new Error(`seed ${seed}`, { cause: thrown });
        },
      );
    }
    expect.hasAssertions();
  },
  600_000,
);
