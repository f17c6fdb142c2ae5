import type { MemoryProvider } from "@jaf/memory";
import { createRedisProvider } from "@jaf/memory-redis";
import { createClient } from "redis";
import { findRedis, startLocalRedis } from "../../../test/redis-server.ts";
import type { Lab } from "../lab.ts";
import { messagesOf, nextTurn } from "../turns.ts";
import type { Backend } from "./backend.ts";
import { RECENT, type Store } from "./store.ts";

// A configuration with persistent data. A rewrite of the log would slow down arbitrary calls.
const SETTINGS = [
  "save",
  "",
  "appendonly",
  "yes",
  "appendfsync",
  "everysec",
  "auto-aof-rewrite-percentage",
  "0",
];

const SEED_BATCH = 1_000;

export async function connectRedis(lab: Lab, url: string) {
  const client = createClient({ url });
  client.on("error", () => {}); // Calls fail with this error. Without a listener it would end the process.
  await client.connect();
  lab.onEnd(() => client.destroy());
  return client;
}

type RedisConnection = Awaited<ReturnType<typeof connectRedis>>;

/** Stores only one list per conversation. */
function rawStore(client: RedisConnection): Store {
  const keyOf = (id: string) => `raw:${id}`;
  const range = async (id: string, from: number): Promise<number> => {
    const bodies = await client.lRange(keyOf(id), from, -1);
    return bodies.map((body): unknown => JSON.parse(body)).length;
  };
  return {
    seed: async (id, count) => {
      const bodies = messagesOf(count).map((message) => JSON.stringify(message));
      for (let at = 0; at < count; at += SEED_BATCH)
        await client.rPush(keyOf(id), bodies.slice(at, at + SEED_BATCH));
    },
    append: async (id) => {
      const [question, answer] = nextTurn();
      await client.rPush(keyOf(id), [JSON.stringify(question), JSON.stringify(answer)]);
    },
    recent: (id) => range(id, -RECENT),
    load: (id) => range(id, 0),
  };
}

const openRedisProvider = (client: RedisConnection, namespace: string): Promise<MemoryProvider> =>
  createRedisProvider({ type: "redis", keyPrefix: `${namespace}:` }, client);

/** Returns its address. */
export async function startRedisServer(lab: Lab): Promise<string> {
  const binaries = findRedis();
  if (binaries === undefined)
    throw new Error("The benchmark needs redis-server (`sudo apt install redis-server`).");
  const { url, stop } = await startLocalRedis(binaries, SETTINGS);
  lab.onEnd(stop);
  return url;
}

export async function startRedisBackend(lab: Lab): Promise<Backend> {
  const url = await startRedisServer(lab);
  const connect = () => connectRedis(lab, url);
  return {
    name: "Redis",
    kind: "redis",
    openRaw: async () => rawStore(await connect()),
    openProvider: async (namespace) => openRedisProvider(await connect(), namespace),
    tidy: async () => {},
  };
}
