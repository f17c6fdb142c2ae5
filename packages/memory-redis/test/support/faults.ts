import type { MemoryProvider } from "@jaf/memory";
import { Cluster, Redis } from "ioredis";
import { createClient, createCluster, createSentinel } from "redis";
import type { RedisSentinel } from "../../../../test/redis-sentinel.ts";
import { createRedisProvider, type RedisClient, type RedisConfig } from "../../src/index.ts";

/** A provider on a client with default options. */
export interface Connected {
  readonly provider: MemoryProvider;
  readonly end: () => Promise<void>;
}

export type Connect = (config?: RedisConfig) => Promise<Connected>;

async function withProvider(client: RedisClient, config: RedisConfig, end: () => Promise<void>) {
  return { provider: await createRedisProvider(config, client), end };
}

const ignore = () => {};

const HOST = "127.0.0.1";

export const nodeRedis =
  (port: number): Connect =>
  async (config = {}) => {
    const client = createClient({ socket: { host: HOST, port } });
    client.on("error", ignore);
    await client.connect();
    return withProvider(client, config, async () => client.destroy());
  };

export const ioredis =
  (port: number): Connect =>
  async (config = {}) => {
    const client = new Redis(port, HOST);
    client.on("error", ignore);
    return withProvider(client, config, async () => client.disconnect());
  };

export const nodeRedisCluster =
  (urls: readonly string[]): Connect =>
  async (config = {}) => {
    const client = createCluster({ rootNodes: urls.map((url) => ({ url })) });
    client.on("error", ignore);
    await client.connect();
    return withProvider(client, config, async () => client.destroy());
  };

export const ioredisCluster =
  (urls: readonly string[]): Connect =>
  async (config = {}) => {
    const client = new Cluster([...urls]);
    client.on("error", ignore);
    return withProvider(client, config, async () => client.disconnect());
  };

type Sentinels = Pick<RedisSentinel, "masterName" | "sentinels">;

export const nodeRedisSentinel =
  ({ masterName, sentinels }: Sentinels): Connect =>
  async (config = {}) => {
    const client = createSentinel({ name: masterName, sentinelRootNodes: [...sentinels] });
    client.on("error", ignore);
    await client.connect();
    return withProvider(client, config, async () => client.destroy());
  };

export const ioredisSentinel =
  ({ masterName, sentinels }: Sentinels): Connect =>
  async (config = {}) => {
    const client = new Redis({ name: masterName, sentinels: [...sentinels] });
    client.on("error", ignore);
    return withProvider(client, config, async () => client.disconnect());
  };

/** Connects all providers, and always closes them. */
export async function withProviders<T>(
  connects: readonly Connect[],
  use: (providers: readonly MemoryProvider[]) => Promise<T>,
  config: RedisConfig = {},
): Promise<T> {
  const connected: Connected[] = [];
  try {
    for (const connect of connects) connected.push(await connect(config));
    return await use(connected.map(({ provider }) => provider));
  } finally {
    for (const { end } of connected) await end();
  }
}
