import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LoadOptions, runLoad } from "../../../../test/faults/load.ts";
import { type RedisCluster, startRedisCluster } from "../../../../test/redis-cluster.ts";
import { type RedisSentinel, startRedisSentinel } from "../../../../test/redis-sentinel.ts";
import {
  type Connect,
  ioredisCluster,
  ioredisSentinel,
  nodeRedisCluster,
  nodeRedisSentinel,
  withProviders,
} from "../support/faults.ts";

const NODE_TIMEOUT_MS = 1_000;

// Without a replica nothing is acknowledged.
const ALONE_MS = 300;

// Redis replicates after it has answered, so only what a replica has outlives a killed master.
const REPLICATED = { minReplicas: 1, commandTimeoutMs: 2_000 };

let cluster: RedisCluster;
let sentinel: RedisSentinel;
beforeAll(async () => {
  [cluster, sentinel] = await Promise.all([
    startRedisCluster({ replicas: true, nodeTimeoutMs: NODE_TIMEOUT_MS }),
    startRedisSentinel({ downAfterMs: NODE_TIMEOUT_MS }),
  ]);
}, 60_000);
afterAll(() => Promise.all([cluster.stop(), sentinel.stop()]));

type Faults = LoadOptions["faults"];

const failOverCluster: Faults = async (recovered) => {
  for (const shard of [0, 1, 2]) {
    await recovered();
    const killed = await cluster.killMaster(shard);
    await cluster.replaced(shard, killed);
    await sleep(ALONE_MS);
    await killed.start();
    await cluster.settled();
  }
  await recovered();
  return "3 masters killed";
};

const failOverSentinel: Faults = async (recovered) => {
  for (let round = 0; round < 3; round++) {
    await recovered();
    const killed = await sentinel.killMaster();
    await sentinel.replaced(killed);
    await sleep(ALONE_MS);
    await sentinel.rejoin(killed);
    await sentinel.settled();
  }
  await recovered();
  return "3 masters killed";
};

async function expectNoLoss(connects: readonly Connect[], title: string, faults: Faults) {
  const config = { ...REPLICATED, keyPrefix: `${title}:` };
  const { ledger, unretryable } = await withProviders(
    connects,
    (providers: readonly MemoryProvider[]) => runLoad(providers, { title, faults }),
    config,
  );
  expect.soft(unretryable).toEqual([]);
  for (const connect of connects) {
    const problems = await withProviders(
      [connect],
      async ([provider]) => (provider === undefined ? ["no provider"] : ledger.problems(provider)),
      { keyPrefix: config.keyPrefix },
    );
    expect(problems).toEqual([]);
  }
}

describe("acknowledged by a replica, under 16 writers of node-redis and ioredis that retry, every batch is there once, whole and in order, and the indexes agree", () => {
  it("when each master of a Cluster is killed in turn", () =>
    expectNoLoss(
      [nodeRedisCluster(cluster.urls), ioredisCluster(cluster.urls)],
      "Redis Cluster",
      failOverCluster,
    ));

  it("when Sentinel has to replace the master", () =>
    expectNoLoss(
      [nodeRedisSentinel(sentinel), ioredisSentinel(sentinel)],
      "Redis Sentinel",
      failOverSentinel,
    ));
});
