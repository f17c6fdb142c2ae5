import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

/** Where a process finds its store. */
export type Address =
  | { readonly type: "redis"; readonly url: string; readonly keyPrefix: string }
  | { readonly type: "postgres"; readonly connectionString: string; readonly schema: string };

/** A new, empty place on each server. */
export const addresses: readonly (readonly [name: string, create: () => Address])[] = [
  [
    "Redis",
    () => ({ type: "redis", url: inject("redisUrl"), keyPrefix: `test:${crypto.randomUUID()}:` }),
  ],
  [
    "Postgres",
    () => ({
      type: "postgres",
      connectionString: inject("pgUrl"),
      schema: `test_${crypto.randomUUID().replaceAll("-", "")}`,
    }),
  ],
];

export const openStore = (address: Address): Promise<MemoryProvider> =>
  address.type === "redis"
    ? createRedisProvider(address)
    : createPostgresProvider({ ...address, maxConnections: 4 });
