import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createClientPool as createClientPool5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { type BlackHoleProxy, startBlackHoleProxy } from "../../../../test/black-hole-proxy.ts";
import { createRedisProvider, diagnoseRedisClient, type RedisClient } from "../../src/index.ts";
import { freshPrefix } from "../support/stores.ts";

const reconnectStrategy = (retries: number) => Math.min(50 * 2 ** retries, 2_000);
const socket = { socketTimeout: 30_000, reconnectStrategy };
const connection = { pingInterval: 10_000, socket };
const rootNodes = [{ url: "redis://127.0.0.1:6379" }];
const sentinels = { name: "main", sentinelRootNodes: [{ host: "127.0.0.1", port: 26379 }] };
const lazy = { lazyConnect: true };
const nodes = [{ host: "127.0.0.1", port: 6379 }];
const good5 = { ...lazy, socketTimeout: 30_000, keepAlive: 10_000, enableOfflineQueue: false };

/** A client of `redis` with a listener, which every application needs. */
const heard = <C extends { on(event: "error", listener: () => void): unknown }>(client: C): C => {
  client.on("error", () => {});
  return client;
};

type Case = readonly [client: () => RedisClient, options?: object];

const NODE_REDIS = ["socket.socketTimeout", "socket.reconnectStrategy", "pingInterval"];
const within = (path: string) => NODE_REDIS.map((setting) => `${path}.${setting}`);

/** `plain`: with default settings, with their findings in order. `good`: with the README's advice. */
const cases: Readonly<
  Record<string, { readonly plain: Case; readonly found: readonly string[]; readonly good: Case }>
> = {
  redis: {
    plain: [() => createClient()],
    found: [...NODE_REDIS, "disableOfflineQueue", 'on("error")'],
    good: [() => heard(createClient({ ...connection, disableOfflineQueue: true }))],
  },
  "redis 5, by url": {
    plain: [() => createClient5({ url: "redis://127.0.0.1" })],
    found: [...NODE_REDIS, "disableOfflineQueue", 'on("error")'],
    good: [
      () => heard(createClient5({ url: "redis://127.0.0.1", ...connection, disableOfflineQueue: true })),
    ],
  },
  "redis pool": {
    plain: [() => createClientPool(), {}],
    found: [...NODE_REDIS, 'on("error")'],
    good: [() => heard(createClientPool(connection)), connection],
  },
  "redis 5 pool": {
    plain: [() => createClientPool5({}), {}],
    found: [...NODE_REDIS, 'on("error")'],
    good: [() => heard(createClientPool5(connection)), connection],
  },
  "redis Cluster": {
    plain: [() => createCluster({ rootNodes })],
    found: [...within("defaults"), 'on("error")'],
    good: [() => heard(createCluster({ rootNodes, defaults: connection }))],
  },
  "redis 5 Cluster": {
    plain: [() => createCluster5({ rootNodes })],
    found: [...within("defaults"), 'on("error")'],
    good: [() => heard(createCluster5({ rootNodes, defaults: connection }))],
  },
  "redis Sentinel": {
    plain: [() => createSentinel(sentinels), sentinels],
    found: [...within("nodeClientOptions"), 'on("error")'],
    good: [
      () => heard(createSentinel({ ...sentinels, nodeClientOptions: connection })),
      { ...sentinels, nodeClientOptions: connection },
    ],
  },
  "redis 5 Sentinel": {
    plain: [() => createSentinel5(sentinels), sentinels],
    found: [...within("nodeClientOptions"), 'on("error")'],
    good: [
      () => heard(createSentinel5({ ...sentinels, nodeClientOptions: connection })),
      { ...sentinels, nodeClientOptions: connection },
    ],
  },
  ioredis: {
    plain: [() => new Redis(lazy)],
    found: ["socketTimeout", "enableOfflineQueue"],
    good: [() => new Redis({ ...lazy, socketTimeout: 30_000, enableOfflineQueue: false })],
  },
  "ioredis 5": {
    plain: [() => new Redis5(lazy)],
    found: ["socketTimeout", "keepAlive", "enableOfflineQueue"],
    good: [() => new Redis5(good5)],
  },
  "ioredis Cluster": {
    plain: [() => new Cluster(nodes, lazy)],
    found: ["redisOptions.socketTimeout"],
    good: [() => new Cluster(nodes, { ...lazy, redisOptions: { socketTimeout: 30_000 } })],
  },
  "ioredis 5 Cluster": {
    plain: [() => new Cluster5(nodes, lazy)],
    found: ["redisOptions.socketTimeout"],
    good: [() => new Cluster5(nodes, { ...lazy, redisOptions: { socketTimeout: 30_000 } })],
  },
};

const diagnose = ([client, options]: Case) => diagnoseRedisClient(client(), options);

describe.each(Object.entries(cases))("%s", (_, { plain, found, good }) => {
  it("has findings with the default settings: each missing setting, its effect and the remedy", () => {
    const findings = diagnose(plain);
    expect(findings.map(({ setting }) => setting)).toEqual(found);
    for (const { problem, why, remedy } of findings) {
      expect(problem).toBe("missing");
      expect(why).toMatch(/\w+ \w+ \w+/);
      expect(remedy).toMatch(/./);
    }
  });

  it("has no findings with the README's settings", () => {
    expect(diagnose(good)).toEqual([]);
  });
});

describe("a wrong setting", () => {
  it.each<[string, RedisClient]>([
    [
      "socket.reconnectStrategy",
      heard(createClient({ ...connection, socket: { ...socket, reconnectStrategy: false } })),
    ],
    ["pingInterval", heard(createClient({ ...connection, pingInterval: 30_000 }))],
    ["retryStrategy", new Redis({ ...good5, retryStrategy: null })],
    [
      "clusterRetryStrategy",
      new Cluster(nodes, { ...lazy, redisOptions: { socketTimeout: 30_000 }, clusterRetryStrategy: null }),
    ],
  ])("%s", (setting, client) => {
    expect(diagnoseRedisClient(client)).toContainEqual(
      expect.objectContaining({ setting, problem: "unsuitable" }),
    );
  });

  it("counts as missing if it is 0", () => {
    const client = new Redis({ ...good5, socketTimeout: 0 });
    expect(diagnoseRedisClient(client)).toMatchObject([{ setting: "socketTimeout", problem: "missing" }]);
  });
});

it.each<[string, RedisClient, string]>([
  ["pool", heard(createClientPool(connection)), ""],
  ["Sentinel client", heard(createSentinel(sentinels)), "nodeClientOptions."],
])("a %s doesn't expose its settings, which are named", (_, client, path) => {
  const findings = diagnoseRedisClient(client);
  expect(findings.map(({ setting }) => setting)).toEqual(NODE_REDIS.map((setting) => `${path}${setting}`));
  for (const { problem } of findings) expect(problem).toBe("unreadable");
});

describe("a client that was passed in with the advised settings recovers, with shorter times", () => {
  let proxy: BlackHoleProxy;
  beforeEach(async () => {
    proxy = await startBlackHoleProxy(Number(new URL(inject("redisUrl")).port));
  });
  afterEach(() => proxy.stop());

  const small = { socketTimeout: 200, reconnectStrategy: () => 10 };
  const opened: Readonly<Record<string, () => Promise<{ client: RedisClient; end: () => void }>>> = {
    redis: async () => {
      const place = { ...small, host: "127.0.0.1", port: proxy.port };
      const client = heard(createClient({ disableOfflineQueue: true, pingInterval: 50, socket: place }));
      await client.connect();
      return { client, end: () => client.destroy() };
    },
    "redis pool": async () => {
      const place = { ...small, host: "127.0.0.1", port: proxy.port };
      const client = heard(createClientPool({ pingInterval: 50, socket: place }, { maximum: 2 }));
      await client.connect();
      return { client, end: () => client.destroy() };
    },
    ioredis: async () => {
      const client = new Redis({ ...good5, socketTimeout: 200, host: "127.0.0.1", port: proxy.port });
      client.on("error", () => {});
      await client.connect();
      return { client, end: () => client.disconnect() };
    },
  };

  it.each(Object.entries(opened))("%s", async (_, open) => {
    const { client, end } = await open();
    const provider = await createRedisProvider({ keyPrefix: freshPrefix(), commandTimeoutMs: 250 }, client);
    proxy.swallow();
    expect(await provider.getConversation("c")).toMatchObject({ error: { retryable: true } });
    const isBack = async () => (await provider.getConversation("c")).success;
    await expect.poll(isBack, { interval: 250 }).toBe(true);
    end();
  });
});
