import type { MemoryProvider } from "@jaf/memory";
import { createRedisProvider } from "@jaf/memory-redis";
import { createClient } from "redis";
import * as z from "zod";
import { findRedis, startLocalRedis } from "../../../test/redis-server.ts";
import type { Lab } from "../lab.ts";
import { loadXynehq } from "../peers.ts";
import { messagesOf, nextTurn } from "../turns.ts";
import type { Backend, ClientsContender } from "./backend.ts";
import { engineStore, jafStore, peerStore, RECENT, runNote, type Store } from "./store.ts";

// As it is run by those who want to keep their data. A rewrite of the log would fall on whoever comes next.
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

// Number, time, microseconds, arguments, address, and the name of the client.
const slowLogSchema = z.array(
  z.tuple([z.number(), z.number(), z.number(), z.unknown(), z.string(), z.string()]),
);

/** The name of connections whose commands don't count as steps of what is measured. */
export const BYSTANDER = "bystander";

const SEED_BATCH = 1_000;

export async function connectRedis(lab: Lab, url: string) {
  const client = createClient({ url });
  client.on("error", () => {}); // Calls fail with it; without a listener it would end the process.
  await client.connect();
  lab.onEnd(() => client.destroy());
  return client;
}

export type RedisConnection = Awaited<ReturnType<typeof connectRedis>>;

/** A list per conversation and nothing else. */
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

export const openRedisProvider = (client: RedisConnection, namespace: string): Promise<MemoryProvider> =>
  createRedisProvider({ type: "redis", keyPrefix: `${namespace}:` }, client);

/** And a hash with what a run notes, in the same step. */
const headStore = (client: RedisConnection): Store => ({
  ...rawStore(client),
  append: async (id) => {
    const [question, answer] = nextTurn();
    await client
      .multi()
      .rPush(`raw:${id}`, [JSON.stringify(question), JSON.stringify(answer)])
      .hSet(`raw-head:${id}`, { metadata: JSON.stringify(runNote()), lastActivity: Date.now() })
      .exec();
  },
});

async function openPeer(client: RedisConnection): Promise<Store> {
  const { createRedisProvider: createPeer } = await loadXynehq();
  // A read of theirs writes in the background; the answer to a ping comes after that.
  return peerStore(await createPeer({ type: "redis", keyPrefix: "peer:" }, client), async () => {
    await client.ping();
  });
}

/** By the server's own clock, through its slow log. */
async function watchCommands(admin: RedisConnection): Promise<() => Promise<number>> {
  await admin.configSet({ "slowlog-max-len": "1000000", "slowlog-log-slower-than": "0" });
  await admin.sendCommand(["SLOWLOG", "RESET"]);
  return async () => {
    await admin.configSet("slowlog-log-slower-than", "-1");
    const entries = slowLogSchema.parse(await admin.sendCommand(["SLOWLOG", "GET", "-1"]));
    const own = entries.filter(([, , , , , name]) => name !== BYSTANDER);
    return own.reduce((longest, [, , microseconds]) => Math.max(longest, microseconds), 0) / 1_000;
  };
}

/** Its address. */
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
    url,
    openRaw: async () => rawStore(await connect()),
    openProvider: async (namespace) => openRedisProvider(await connect(), namespace),
    openPeer: async () => openPeer(await connect()),
    openMany: async (count) => {
      const clients = await Promise.all(Array.from({ length: count }, connect));
      const providers = await Promise.all(clients.map((client) => openRedisProvider(client, "jaf")));
      const contenders: readonly ClientsContender[] = [
        { name: "raw", stores: clients.map(rawStore) },
        { name: "JAF", stores: providers.map(jafStore) },
        { name: "raw with a head", stores: clients.map(headStore) },
        { name: "JAF as the engine", stores: providers.map((provider) => engineStore(provider)) },
      ];
      return [{ name: "Redis, a provider each", contenders }];
    },
    tidy: async () => {},
    watchSteps: async () => watchCommands(await connect()),
  };
}
