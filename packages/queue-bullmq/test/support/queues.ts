import type { TurnQueue } from "@jaf/memory/adapter";
import type { TestTurnQueue } from "@jaf/memory/testing";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { inject } from "vitest";
import { type BullMQQueueOptions, createBullMQQueue } from "../../src/index.ts";

type Connection = BullMQQueueOptions["connection"];

/** A connection for a queue, and how to end it. */
interface Opened {
  readonly connection: Connection;
  readonly end: () => Promise<void>;
}

/** The ways to connect a queue. */
export const openers = {
  url: async () => ({ connection: inject("redisUrl"), end: async () => {} }),
  ioredis: async () => {
    const client = new Redis(inject("redisUrl"), { maxRetriesPerRequest: null });
    return { connection: client, end: async () => client.disconnect() };
  },
  "node-redis": async () => {
    const client = createClient({ url: inject("redisUrl") });
    client.on("error", () => {});
    await client.connect();
    return { connection: client, end: () => client.close() };
  },
} as const satisfies Readonly<Record<string, () => Promise<Opened>>>;

/** Returns all keys with a prefix and their values as one text. */
export async function contentsUnder(client: Redis, prefix: string): Promise<string> {
  const keys = await client.keys(`${prefix}:*`);
  const values = keys.map(async (key) => {
    const type = await client.type(key);
    if (type === "hash") return client.hgetall(key);
    if (type === "zset") return client.zrange(key, "0", "-1");
    if (type === "list") return client.lrange(key, 0, -1);
    if (type === "set") return client.smembers(key);
    if (type === "stream") return client.xrange(key, "-", "+");
    return client.get(key);
  });
  return JSON.stringify([keys, await Promise.all(values)]);
}

/** Returns a unique prefix. */
export const freshPrefix = (): string => `test-${crypto.randomUUID()}`;

/** Creates a queue with its own prefix. Its leftovers are removed with the server. */
export async function createTestQueue(open: () => Promise<Opened>): Promise<TestTurnQueue> {
  const prefix = freshPrefix();
  const ends: (() => Promise<void>)[] = [];
  const connect = async (): Promise<TurnQueue> => {
    const { connection, end } = await open();
    const queue = createBullMQQueue({ connection, prefix });
    ends.push(async () => {
      await queue.close();
      await end();
    });
    return queue;
  };
  const contents = async () => {
    const client = new Redis(inject("redisUrl"));
    const text = await contentsUnder(client, prefix);
    client.disconnect();
    return text;
  };
  const dispose = async () => {
    await Promise.all(ends.map((end) => end()));
  };
  return { queue: await connect(), connect, contents, dispose };
}
