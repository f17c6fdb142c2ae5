import { expect, it } from "vitest";
import { playManyInMemory, shortened } from "../support/programs/in-memory.ts";
import { expectSoundInProcesses } from "../support/programs/on-servers.ts";
import { describeFailed } from "../support/programs/played-program.ts";

// Five thousand in total, with other seeds than the fast suite.

it.each([
  { firstSeed: 40, count: 160 },
  { firstSeed: 10_000, count: 2_900 },
])("$count programs of tasks in one process break no promise", async ({ firstSeed, count }) => {
  const began = performance.now();
  const { failed, played } = await playManyInMemory({ firstSeed, count });
  const [first] = failed;
  expect(first === undefined ? "" : describeFailed(await shortened(first))).toBe("");
  process.stdout.write(
    `in memory: ${played} programs, ${Math.round((performance.now() - began) / 1_000)} s\n`,
  );
});

it.each([
  { backend: "redis", firstSeed: 20_000, count: 1_000 },
  { backend: "postgres", firstSeed: 30_000, count: 1_000 },
  { backend: "redis-cluster", firstSeed: 40_000, count: 100 },
] as const)(
  "$count programs of three processes, some of which are killed, break none on $backend",
  async (options) => {
    await expectSoundInProcesses({ ...options, atOnce: 50, killEvery: 2 });
  },
);
