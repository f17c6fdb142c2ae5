import { expect, it } from "vitest";
import { playManyInMemory, shortened } from "./support/programs/in-memory.ts";
import { describeFailed } from "./support/programs/played-program.ts";

/** More than a busy machine needs. */
const MOST_MS = 120_000;

// `pnpm test:stress` plays five thousand, and also checks that programs notice broken stores.
it(
  "40 programs in one process break no promise",
  async () => {
    const { failed, played } = await playManyInMemory({ firstSeed: 0, count: 40 });
    const [first] = failed;
    expect(first === undefined ? "" : describeFailed(await shortened(first))).toBe("");
    expect(played).toBe(40);
  },
  MOST_MS,
);
