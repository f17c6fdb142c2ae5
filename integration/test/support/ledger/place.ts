import type { LedgerStore } from "@jaf/memory";
import { createPostgresLedger } from "@jaf/memory-postgres";
import { createRedisLedger } from "@jaf/memory-redis";
import { createCluster } from "redis";
import * as z from "zod";

/** Where the ledger is. `urls`: several for a Cluster. */
export const placeSchema = z.object({
  backend: z.enum(["redis", "redis-cluster", "postgres"]),
  urls: z.array(z.string()),
  namespace: z.string(),
});

export type LedgerPlace = z.infer<typeof placeSchema>;

/** A ledger with a connection of its own. */
export interface OpenedLedger {
  readonly ledger: LedgerStore;
  readonly end: () => Promise<unknown>;
}

export async function openLedger({ backend, urls, namespace }: LedgerPlace): Promise<OpenedLedger> {
  const [url = ""] = urls;
  const keyPrefix = `${namespace}:`;
  if (backend === "redis-cluster") {
    const client = createCluster({ rootNodes: urls.map((node) => ({ url: node })) });
    await client.connect();
    return { ledger: await createRedisLedger({ keyPrefix }, client), end: () => client.close() };
  }
  const ledger =
    backend === "redis"
      ? await createRedisLedger({ url, keyPrefix })
      : await createPostgresLedger({ connectionString: url, schema: namespace, maxConnections: 1 });
  return { ledger, end: ledger.close };
}
