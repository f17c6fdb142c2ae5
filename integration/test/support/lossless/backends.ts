import { PGlite } from "@electric-sql/pglite";
import type { VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import { inject } from "vitest";

export interface StoreConnection {
  readonly provider: VersionedMemoryProvider;
  readonly close: () => Promise<void>;
}

export interface LosslessBackend {
  /** Opens the store like a new process: with its own connection, if the store has connections. */
  readonly connect: () => Promise<StoreConnection>;
  readonly close: () => Promise<void>;
}

export async function openRedis(): Promise<LosslessBackend> {
  const keyPrefix = `test:${crypto.randomUUID()}:`;
  return {
    connect: async () => {
      const client = await createClient({ url: inject("redisUrl") }).connect();
      const provider = await createRedisProvider({ keyPrefix }, client);
      return { provider, close: async () => void (await client.close()) };
    },
    close: async () => {},
  };
}

const freshSchema = (): string => `test_${crypto.randomUUID().replaceAll("-", "")}`;

export async function openPostgres(): Promise<LosslessBackend> {
  const schema = freshSchema();
  const connectClient = async () => {
    const client = new pg.Client(inject("pgUrl"));
    await client.connect();
    return client;
  };
  return {
    connect: async () => {
      const client = await connectClient();
      const provider = await createPostgresProvider({ schema }, client);
      return { provider, close: () => client.end() };
    },
    close: async () => {
      const client = await connectClient();
      await client.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
}

/** In memory. The database exists as long as the backend, and each process has its own provider. */
export async function openPglite(): Promise<LosslessBackend> {
  const client = await PGlite.create();
  return {
    connect: async () => ({ provider: await createPostgresProvider({}, client), close: async () => {} }),
    close: () => client.close(),
  };
}
