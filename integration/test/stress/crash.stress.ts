import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Backend,
  openInMemory,
  openPostgres,
  openRedis,
  openRedisCluster,
} from "../support/crash/backends.ts";
import type { Mode } from "../support/crash/conversation.ts";
import { crashAtEveryPoint } from "../support/crash/every-point.ts";
import { playKillRounds } from "../support/crash/kill-rounds.ts";
import { CONVERSATIONS_OF_A_KIND } from "../support/crash/killed.ts";
import { randomTrial } from "../support/crash/random-trial.ts";
import type { Crash } from "../support/crash/saboteur.ts";
import { SCENARIOS } from "../support/crash/scenarios.ts";
import { playTrial } from "../support/crash/trial.ts";

const deaths: readonly Crash[] = ["killed after", "killed, done late"];

const completed: Mode = { durability: "completed", concurrency: "queue", repeats: false };
const turn: Mode = { durability: "turn", concurrency: "reject", repeats: false };
const step: Mode = { durability: "step", concurrency: "queue", repeats: false };

async function crashEverywhere(backend: Backend, mode: Mode, crashes: readonly Crash[]): Promise<void> {
  for (const scenario of SCENARIOS) {
    const { broken } = await crashAtEveryPoint(backend, { scenario, mode, crashes });
    expect(broken.map((rule) => `${scenario.name}: ${rule}`)).toEqual([]);
  }
}

describe.each([
  ["Postgres", openPostgres],
  ["Redis", openRedis],
])("on %s", (_name, open) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await open();
  });
  afterAll(() => backend.close());

  it("a process that dies at any call breaks no promise with durability step", () =>
    crashEverywhere(backend, step, deaths));

  it.each([completed, turn])(
    "a process that dies right after any call breaks none with durability $durability",
    (mode) => crashEverywhere(backend, mode, ["killed after"]),
  );

  it("randomly killed real processes break none", async () => {
    const { address, connect, leaseMs } = backend;
    if (address === undefined) throw new Error("no other process can reach the store");
    const { broken, killed } = await playKillRounds({
      ...{ address, connect, leaseMs },
      conversations: 2 * CONVERSATIONS_OF_A_KIND,
      rounds: 3,
      mostCalls: 500,
    });
    expect(broken).toEqual([]);
    expect(killed).toBeGreaterThan(0);
  });
});

it("a process that dies right after any call breaks no promise with durability step on a Redis Cluster", async () => {
  const backend = await openRedisCluster();
  try {
    await crashEverywhere(backend, step, ["killed after"]);
  } finally {
    await backend.close();
  }
});

it("up to three crashes of any kind in a conversation break no promise", async () => {
  const backend = await openInMemory();
  const queue = Array.from({ length: 1_000 }, (_, seed) => seed).values();
  async function work(): Promise<void> {
    for (const seed of queue) {
      const trial = randomTrial(seed);
      const { broken } = await playTrial(backend, trial);
      expect(broken, JSON.stringify({ seed, ...trial, scenario: trial.scenario.name })).toEqual([]);
    }
  }
  await Promise.all(Array.from({ length: 40 }, work));
});
