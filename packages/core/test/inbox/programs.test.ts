import * as fc from "fast-check";
import { expect, it } from "vitest";
import { playProgram, programs } from "../support/inbox-programs.ts";

// `pnpm test:stress inbox-programs` plays more of them.
it("loses, repeats and reorders nothing that is said, whatever crashes", async () => {
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      expect((await playProgram(program)).broken).toEqual([]);
    }),
    { numRuns: 200, seed: 37 },
  );
}, 60_000);
