import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";

/** Where a process finds its store. */
export type Address =
  | { readonly type: "redis"; readonly url: string; readonly keyPrefix: string }
  | { readonly type: "postgres"; readonly connectionString: string; readonly schema: string };

export const openStore = (address: Address): Promise<MemoryProvider> =>
  address.type === "redis"
    ? createRedisProvider(address)
    : createPostgresProvider({ ...address, maxConnections: 4 });
