import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, openInMemory } from "./support/crash/backends.ts";
import type { Mode } from "./support/crash/conversation.ts";
import { crashAtEveryPoint } from "./support/crash/every-point.ts";
import type { Crash } from "./support/crash/saboteur.ts";
import { SCENARIOS } from "./support/crash/scenarios.ts";

let backend: Backend;
beforeAll(async () => {
  backend = await openInMemory();
});
afterAll(() => backend.close());

interface Trials {
  readonly mode: Mode;
  /** A process that dies before a call leaves what one leaves that dies behind the call before. */
  readonly crashes: readonly Crash[];
}

const trials: readonly Trials[] = [
  {
    mode: { durability: "completed", concurrency: "reject", repeats: false },
    crashes: ["killed after"],
  },
  {
    mode: { durability: "turn", concurrency: "queue", repeats: true },
    crashes: ["killed after"],
  },
  {
    mode: { durability: "step", concurrency: "queue", repeats: true },
    crashes: ["killed after", "killed, done late", "fails after", "hangs"],
  },
];

describe.each(trials)("a crash at any call to the outside world, durability $mode.durability", (trial) => {
  it.each(SCENARIOS)("breaks no promise: $name", async (scenario) => {
    const { broken, struck } = await crashAtEveryPoint(backend, { scenario, ...trial });
    expect(broken).toEqual([]);
    expect(struck).toBeGreaterThan(5);
  });
});
