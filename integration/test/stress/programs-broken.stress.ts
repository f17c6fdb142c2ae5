import { describe, expect, it } from "vitest";
import { BROKEN_BACKENDS, openBroken } from "../support/programs/broken-backends.ts";
import { playManyInMemory } from "../support/programs/in-memory.ts";

/** A third of these is enough to notice each broken store. */
const MOST_PROGRAMS = 300;

describe("the programs notice a store that", () => {
  it.each(BROKEN_BACKENDS)("$name", async (broken) => {
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
  });
});
