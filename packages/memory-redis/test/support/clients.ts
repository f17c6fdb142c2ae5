import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createClientPool as createClientPool5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import { inject } from "vitest";
import type { RedisClient } from "../../src/index.ts";

declare module "vitest" {
  interface ProvidedContext {
    redisUrl: string;
    redisClusterUrls: string[];
    redisSentinel: { masterName: string; sentinels: { host: string; port: number }[] };
  }
}

export interface Opened {
  readonly client: RedisClient;
  readonly end: () => Promise<void>;
  /** Breaks the connections, even during calls. */
  readonly cut: () => void;
}

interface NodeRedisLike {
  connect(): Promise<unknown>;
  close(): Promise<unknown> | unknown;
  destroy(): unknown;
  on(event: "error", listener: () => void): unknown;
}

export async function connected<C extends NodeRedisLike & RedisClient>(client: C): Promise<Opened> {
  client.on("error", () => {});
  await client.connect();
  return { client, end: async () => void (await client.close()), cut: () => void client.destroy() };
}

async function ready<C extends RedisClient & { quit(): Promise<unknown>; disconnect(): void }>(
  client: C,
): Promise<Opened> {
  return { client, end: async () => void (await client.quit()), cut: () => client.disconnect() };
}

const url = () => inject("redisUrl");

const rootNodes = () => inject("redisClusterUrls").map((node) => ({ url: node }));

const startupNodes = () =>
  inject("redisClusterUrls").map((node) => ({ host: "127.0.0.1", port: Number(new URL(node).port) }));

const sentinelOptions = () => {
  const { masterName, sentinels } = inject("redisSentinel");
  return { name: masterName, sentinelRootNodes: sentinels };
};

const ioredisSentinel = () => {
  const { masterName, sentinels } = inject("redisSentinel");
  return { name: masterName, sentinels };
};

/** Clients of the test's own cluster. */
export const clusterOpeners = {
  "node-redis": (urls: readonly string[]) =>
    connected(createCluster({ rootNodes: urls.map((node) => ({ url: node })) })),
  ioredis: (urls: readonly string[]) =>
    ready(new Cluster(urls.map((node) => ({ host: "127.0.0.1", port: Number(new URL(node).port) })))),
} as const satisfies Readonly<Record<string, (urls: readonly string[]) => Promise<Opened>>>;

/** With the settings that an application should have: calls fail immediately while the server is away. */
export const openThrough = (port: number): Promise<Opened> =>
  connected(createClient({ url: `redis://127.0.0.1:${port}`, disableOfflineQueue: true }));

/** All supported kinds of clients, with both major versions. */
export const openers = {
  "node-redis": () => connected(createClient({ url: url() })),
  "node-redis, RESP2": () => connected(createClient({ url: url(), RESP: 2 })),
  "node-redis 5": () => connected(createClient5({ url: url() })),
  "node-redis pool": () => connected(createClientPool({ url: url() }, { minimum: 1, maximum: 4 })),
  "node-redis 5 pool": () => connected(createClientPool5({ url: url() }, { minimum: 1, maximum: 4 })),
  "node-redis cluster": () => connected(createCluster({ rootNodes: rootNodes() })),
  "node-redis 5 cluster": () => connected(createCluster5({ rootNodes: rootNodes() })),
  "node-redis sentinel": () => connected(createSentinel(sentinelOptions())),
  "node-redis 5 sentinel": () => connected(createSentinel5(sentinelOptions())),
  ioredis: () => ready(new Redis(url())),
  "ioredis, pipelining by itself": () => ready(new Redis(url(), { enableAutoPipelining: true })),
  "ioredis 5": () => ready(new Redis5(url())),
  "ioredis cluster": () => ready(new Cluster(startupNodes())),
  "ioredis 5 cluster": () => ready(new Cluster5(startupNodes())),
  "ioredis sentinel": () => ready(new Redis(ioredisSentinel())),
  "ioredis 5 sentinel": () => ready(new Redis5(ioredisSentinel())),
} as const satisfies Readonly<Record<string, () => Promise<Opened>>>;
