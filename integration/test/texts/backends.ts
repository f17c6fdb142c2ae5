import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

type RedisOptions = NonNullable<Parameters<typeof createClient>[0]>;
type RedisConnection = ReturnType<typeof createClient>;

/**
 * The drivers that the texts import, which connect to the tests' servers whatever address and password they are given, on
 * Postgres to a schema of its own.
 */
export interface Drivers {
  readonly modules: Readonly<Record<"redis" | "ioredis" | "pg", object>>;
  readonly schema: string;
  readonly connectRedis: () => Promise<RedisConnection>;
  readonly connectPostgres: () => Promise<pg.Client>;
  readonly close: () => Promise<void>;
}

export async function openDrivers(): Promise<Drivers> {
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const opened: (() => Promise<unknown>)[] = [];
  const connection = { connectionString: inject("pgUrl"), options: `-c search_path=${schema}` };
  class Client extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, ...connection });
      opened.push(() => this.end());
    }
  }
  class Pool extends pg.Pool {
    constructor(config: pg.PoolConfig) {
      super({ ...config, ...connection });
      opened.push(() => this.end());
    }
  }
  class Ioredis extends Redis {
    constructor(_url: string) {
      super(inject("redisUrl"));
      opened.push(() => this.quit());
    }
  }
  const openRedis = (options: RedisOptions = {}) => {
    const client = createClient({ ...options, url: inject("redisUrl") });
    opened.push(async () => client.isOpen && (await client.close()));
    return client;
  };
  const admin = new pg.Client(inject("pgUrl"));
  await admin.connect();
  await admin.query(`CREATE SCHEMA ${schema}`);
  return {
    modules: {
      redis: { createClient: ({ password: _, ...options }: RedisOptions) => openRedis(options) },
      ioredis: { default: Ioredis, __esModule: true },
      pg: { Client, Pool },
    },
    schema,
    connectRedis: () => openRedis().connect(),
    connectPostgres: async () => {
      const client = new Client({});
      await client.connect();
      return client;
    },
    close: async () => {
      await Promise.all(opened.map((close) => close()));
      await admin.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
      await admin.end();
    },
  };
}

export const freshPrefix = (): string => `test:${crypto.randomUUID()}:`;

export interface Store {
  readonly provider: MemoryProvider;
  readonly close: () => Promise<void>;
}

/** Each backend, empty. */
export const BACKENDS: Readonly<Record<"in memory" | "Redis" | "Postgres", () => Promise<Store>>> = {
  "in memory": async () => ({ provider: createInMemoryProvider(), close: async () => {} }),
  Redis: async () => {
    const client = await createClient({ url: inject("redisUrl") }).connect();
    return {
      provider: await createRedisProvider({ keyPrefix: freshPrefix() }, client),
      close: async () => void (await client.close()),
    };
  },
  Postgres: async () => {
    const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 2 });
    return {
      provider: await createPostgresProvider({ schema }, pool),
      close: async () => {
        await pool.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
        await pool.end();
      },
    };
  },
};
