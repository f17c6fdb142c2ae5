import type { VersionedMemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import pg from "pg";
import { createCluster } from "redis";
import type { StorePlace } from "./process-messages.ts";

export interface SharedStore {
  readonly store: VersionedMemoryProvider;
  readonly close: () => Promise<void>;
}

/** With its own connections. */
export async function openSharedStore({ backend, urls, namespace }: StorePlace): Promise<SharedStore> {
  const [url = ""] = urls;
  if (backend === "postgres") {
    const store = await createPostgresProvider({ connectionString: url, schema: namespace });
    return { store, close: async () => void (await store.close()) };
  }
  const config = { keyPrefix: `${namespace}:` };
  if (backend === "redis") {
    const store = await createRedisProvider({ ...config, url });
    return { store, close: async () => void (await store.close()) };
  }
  const cluster = await createCluster({ rootNodes: urls.map((one) => ({ url: one })) }).connect();
  return {
    store: await createRedisProvider(config, cluster),
    close: async () => void (await cluster.close()),
  };
}

/** Redis data needs no cleanup: it is deleted with the server. */
export async function dropSharedStore({ backend, urls, namespace }: StorePlace): Promise<void> {
  if (backend !== "postgres") return;
  const client = new pg.Client(urls[0]);
  await client.connect();
  await client.query("SET client_min_messages = warning");
  await client.query(`DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(namespace)} CASCADE`);
  await client.end();
}
