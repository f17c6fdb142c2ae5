import { describe, expect, it } from "vitest";
import { BROKEN_BACKENDS, openBroken } from "./support/programs/broken-backends.ts";
import { playManyInMemory, shortened } from "./support/programs/in-memory.ts";
import { describeFailed } from "./support/programs/played-program.ts";

/** More than a busy machine takes. */
const MOST_MS = 120_000;

// The five thousand are played with `pnpm test:stress`.
it(
  "200 programs of tasks in one process break no promise",
  async () => {
    const { failed, played } = await playManyInMemory({ firstSeed: 0, count: 200 });
    const [first] = failed;
    expect(first === undefined ? "" : describeFailed(await shortened(first))).toBe("");
    expect(played).toBe(200);
  },
  MOST_MS,
);

/** Each is noticed within a third of these. */
const MOST_PROGRAMS = 300;

describe("the programs notice a store that", () => {
  it.each(BROKEN_BACKENDS)(
    "$name",
    async (broken) => {
      const found = new Set<string>();
      await playManyInMemory({
        firstSeed: 0,
        count: MOST_PROGRAMS,
        open: () => openBroken(broken),
        isEnough: ({ problems }) => {
          for (const { rule } of problems) found.add(rule);
          return broken.rules.some((rule) => found.has(rule));
        },
      });
      expect([...found].filter((rule) => broken.rules.includes(rule))).not.toEqual([]);
    },
    MOST_MS,
  );
});
