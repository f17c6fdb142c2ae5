import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { MemoryProvider } from "@jaf/memory";
import type { PostgresClient } from "@jaf/memory-postgres";
import type { RedisClient } from "@jaf/memory-redis";

/** The providers of one checkout, made on clients that all checkouts share. */
export interface Checkout {
  readonly openRedis: (namespace: string, client: RedisClient) => Promise<MemoryProvider>;
  readonly openPostgres: (namespace: string, client: PostgresClient) => Promise<MemoryProvider>;
}

type Create = (config: object, client: unknown) => Promise<MemoryProvider>;

async function factoryOf(folder: string, name: "redis" | "postgres", factory: string): Promise<Create> {
  const file = resolve(folder, `packages/memory-${name}/dist/index.js`);
  const module = (await import(pathToFileURL(file).href).catch((cause: unknown) => {
    throw new Error(`Can't load ${file}: install and build that checkout first.`, { cause });
  })) as Readonly<Record<string, unknown>>;
  const create = module[factory];
  if (typeof create !== "function") throw new TypeError(`${file} exports no ${factory}`);
  return create as Create;
}

/** Of the packages as they are built in that folder. */
export async function loadCheckout(folder: string): Promise<Checkout> {
  const redis = await factoryOf(folder, "redis", "createRedisProvider");
  const postgres = await factoryOf(folder, "postgres", "createPostgresProvider");
  return {
    openRedis: (namespace, client) => redis({ keyPrefix: `${namespace}:` }, client),
    openPostgres: (namespace, client) => postgres({ tableName: namespace }, client),
  };
}
