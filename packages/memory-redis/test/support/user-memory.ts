import { defineUserMemory, mapFacts, type UserMemoryBackend } from "@jaf/user-memory/adapter";
import type { BackendUnderTest, StoreUnderTest } from "@jaf/user-memory/testing";
import { createClient } from "redis";
import { inject } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import type { RedisPort } from "../../src/client/clients.ts";
import type { RedisClient } from "../../src/index.ts";
import { createRedisUserMemory, createRedisUserMemoryBackend } from "../../src/user-memory/index.ts";
import { createUserMemoryBackend } from "../../src/user-memory/user-memory.ts";
import type { Opened } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

export const backendOnPort = (port: RedisPort, keyPrefix: string): UserMemoryBackend =>
  createUserMemoryBackend({
    ...{ port, keyPrefix, minReplicas: 0, commandTimeoutMs: 30_000 },
    close: async () => {},
  });

export const backendOn = (client: RedisClient, keyPrefix = freshPrefix()): UserMemoryBackend =>
  backendOnPort(adaptClient(client), keyPrefix);

const readers = {
  string: ["GET"],
  list: ["LRANGE", "0", "-1"],
  hash: ["HGETALL"],
  zset: ["ZRANGE", "0", "-1", "WITHSCORES"],
} as const;

/** Returns all keys with a prefix and their values, as text. */
export async function dumpOf(keyPrefix: string, urls: readonly string[]): Promise<string> {
  const parts: unknown[] = [];
  for (const url of urls) {
    const redis = await createClient({ url }).connect();
    for (const key of (await redis.keys(`${keyPrefix}*`)).sort()) {
      const [command, ...args] = readers[(await redis.type(key)) as keyof typeof readers];
      parts.push(key, await redis.sendCommand([command, key, ...args]));
    }
    await redis.close();
  }
  return JSON.stringify(parts);
}

/** Connections with one prefix, which are closed together. */
function connections(open: () => Promise<Opened>) {
  const opened: Opened[] = [];
  return {
    keyPrefix: freshPrefix(),
    connect: async (): Promise<RedisClient> => {
      const connection = await open();
      opened.push(connection);
      return connection.client;
    },
    close: async (): Promise<void> => {
      await Promise.all(opened.map(({ end }) => end()));
    },
  };
}

/** Creates backends for the kit for storage ports. */
export const backendFactory = (open: () => Promise<Opened>) => async (): Promise<BackendUnderTest> => {
  const { keyPrefix, connect, close } = connections(open);
  const another = async () => backendOn(await connect(), keyPrefix);
  return { backend: await another(), another, close };
};

const urlsOf = (client: RedisClient): readonly string[] =>
  adaptClient(client).isCluster ? inject("redisClusterUrls") : [inject("redisUrl")];

/** Creates stores for the kit for stores. */
export const storeFactory = (open: () => Promise<Opened>) => async (): Promise<StoreUnderTest> => {
  const { keyPrefix, connect, close } = connections(open);
  const another = async () => createRedisUserMemory({ keyPrefix }, await connect());
  const client = await connect();
  return {
    memory: await createRedisUserMemory({ keyPrefix }, client),
    backend: backendOn(client, keyPrefix),
    ...{ another, close, dump: () => dumpOf(keyPrefix, urlsOf(client)) },
  };
};

const reverse = (text: string): string => [...text].reverse().join("");

/** A wrapper as an application may write it: it stores every text of a user in reverse. */
export const reversed = (backend: UserMemoryBackend): UserMemoryBackend =>
  mapFacts(backend, { encode: reverse, decode: reverse });

/** Creates wrapped backends of applications for the kit for storage ports. */
export const reversedBackendFactory =
  (open: () => Promise<Opened>) => async (): Promise<BackendUnderTest> => {
    const { keyPrefix, connect, close } = connections(open);
    const another = async () => reversed(await createRedisUserMemoryBackend({ keyPrefix }, await connect()));
    return { backend: await another(), another, close };
  };

/** Creates stores on wrapped backends for the kit for stores. */
export const reversedStoreFactory = (open: () => Promise<Opened>) => async (): Promise<StoreUnderTest> => {
  const { keyPrefix, connect, close } = connections(open);
  const backendFor = async (client: RedisClient) =>
    reversed(await createRedisUserMemoryBackend({ keyPrefix }, client));
  const client = await connect();
  const backend = await backendFor(client);
  return {
    ...{ memory: defineUserMemory(backend), backend, close },
    another: async () => defineUserMemory(await backendFor(await connect())),
    dump: async () => {
      const stored = await dumpOf(keyPrefix, urlsOf(client));
      return `${stored}\n${reverse(stored)}`;
    },
  };
};
