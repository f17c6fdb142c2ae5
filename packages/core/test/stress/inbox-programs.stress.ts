import { expect, it } from "vitest";
import { playPrograms } from "../support/inbox-programs.ts";

it.each([1, 2, 3, 4])("nothing that is said is lost, repeated or reordered: seed %d", async (seed) => {
  expect(await playPrograms({ seed, count: 500 })).toEqual([]);
});
