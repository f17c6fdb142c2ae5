import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LoadOptions, runLoad } from "../../../../test/faults/load.ts";
import { type RedisCluster, startRedisCluster } from "../../../../test/redis-cluster.ts";
import { type RedisSentinel, startRedisSentinel } from "../../../../test/redis-sentinel.ts";
import type { RedisConfig } from "../../src/index.ts";
import {
  type Connect,
  ioredisCluster,
  ioredisSentinel,
  nodeRedisCluster,
  nodeRedisSentinel,
  withProviders,
} from "../support/faults.ts";

const NODE_TIMEOUT_MS = 1_000;

// Without a replica, no write is acknowledged.
const ALONE_MS = 300;

// Redis replicates after its reply, so only writes that a replica has survive a killed master.
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

const handOverCluster: Faults = async (recovered) => {
  for (const shard of [0, 1, 2]) {
    await recovered();
    await cluster.handOver(shard);
    await cluster.settled();
  }
  await recovered();
  return "3 shards handed over";
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

interface Run {
  readonly connects: readonly Connect[];
  readonly title: string;
  readonly faults: Faults;
  readonly replication: RedisConfig;
}

async function expectNoLoss({ connects, title, faults, replication }: Run): Promise<void> {
  const config = { ...replication, keyPrefix: `${title}:` };
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

describe("acknowledged batches of 16 retrying writers with node-redis and ioredis are stored once, whole and in order, with matching indexes", () => {
  it("if each master of a Cluster is killed (SIGKILL) in turn, with `minReplicas`", () =>
    expectNoLoss({
      connects: [nodeRedisCluster(cluster.urls), ioredisCluster(cluster.urls)],
      title: "Redis Cluster",
      faults: failOverCluster,
      replication: REPLICATED,
    }));

  it("if each shard of a Cluster is handed over to its replica, with or without `minReplicas`", () =>
    expectNoLoss({
      connects: [nodeRedisCluster(cluster.urls), ioredisCluster(cluster.urls)],
      title: "Redis Cluster, asked",
      faults: handOverCluster,
      replication: {},
    }));

  it("if Sentinel has to replace a killed (SIGKILL) master, with `minReplicas`", () =>
    expectNoLoss({
      connects: [nodeRedisSentinel(sentinel), ioredisSentinel(sentinel)],
      title: "Redis Sentinel",
      faults: failOverSentinel,
      replication: REPLICATED,
    }));
});
