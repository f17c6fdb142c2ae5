import { createInMemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import pg from "pg";
import { createClient, createCluster } from "redis";
import { inject } from "vitest";
import type { StoreAddress } from "./killed.ts";
import type { TrialStore } from "./trial.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
    redisClusterUrls: string[];
  }
}

export interface Backend extends TrialStore {
  /** The address for other processes; absent if they can't reach the store. */
  readonly address?: StoreAddress;
  readonly close: () => Promise<void>;
}

/** How long a dead process's turn is kept if each call goes to a server. */
const SERVER_LEASE_MS = 150;

export async function openInMemory(): Promise<Backend> {
  const inner = createInMemoryProvider();
  return {
    connect: async () => ({ ...inner }),
    leaseMs: 25,
    close: async () => void (await inner.close()),
  };
}

const POSTGRES_PROVIDERS = 8;

/**
 * Uses its own schema. Processes share a few providers, each with its own connection: checking the tables again for each
 * process would take longer than everything else that it does.
 */
export async function openPostgres(): Promise<Backend> {
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const clients = Array.from({ length: POSTGRES_PROVIDERS }, () => new pg.Client(inject("pgUrl")));
  await Promise.all(clients.map((client) => client.connect()));
  const providers = await Promise.all(clients.map((client) => createPostgresProvider({ schema }, client)));
  let opened = 0;
  return {
    address: { type: "postgres", connectionString: inject("pgUrl"), schema },
    connect: async () => ({ ...at(providers, opened++) }),
    leaseMs: SERVER_LEASE_MS,
    close: async () => {
      await at(clients, 0).query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError("there is none");
  return item;
}

/** Uses its own prefix. The data is deleted with the server. */
export async function openRedis(): Promise<Backend> {
  const url = inject("redisUrl");
  const keyPrefix = freshPrefix();
  const backend = openRedisClient(await createClient({ url }).connect(), keyPrefix);
  return { ...backend, address: { type: "redis", url, keyPrefix } };
}

export async function openRedisCluster(): Promise<Backend> {
  const cluster = createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });
  return openRedisClient(await cluster.connect(), freshPrefix());
}

type Client = Parameters<typeof createRedisProvider>[1] & { close(): unknown };

const freshPrefix = (): string => `test:${crypto.randomUUID()}:`;

function openRedisClient(client: Client, keyPrefix: string): Backend {
  return {
    connect: () => createRedisProvider({ keyPrefix }, client),
    leaseMs: SERVER_LEASE_MS,
    close: async () => void (await client.close()),
  };
}
