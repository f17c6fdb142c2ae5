import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { createSqliteProvider } from "@jaf/memory-sqlite";

/** Where a process finds its store. */
export type Address =
  | { readonly type: "redis"; readonly url: string; readonly keyPrefix: string }
  | { readonly type: "postgres"; readonly connectionString: string; readonly schema: string }
  | { readonly type: "sqlite"; readonly file: string };

export async function openStore(address: Address): Promise<MemoryProvider> {
  switch (address.type) {
    case "redis":
      return createRedisProvider(address);
    case "postgres":
      return createPostgresProvider({ ...address, maxConnections: 4 });
    case "sqlite":
      return createSqliteProvider(address);
  }
}
