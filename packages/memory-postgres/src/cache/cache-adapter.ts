import type { CacheAdapter } from "@jaf/memory";
import { adaptClient } from "../client/adapt-client.ts";
import type { PostgresClient } from "../client/clients.ts";
import type { Statement } from "../client/port.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { toSetupError } from "../errors.ts";
import { prepareTables } from "../migrator/migrate.ts";
import { cacheMigrations } from "./migrations.ts";
import { createCacheStatements } from "./statements.ts";

/**
 * Keeps values in a table of Postgres or PGlite for all processes that share it, and creates it if it is missing. The
 * client, a `Pool`, a connected `Client` or a PGlite, is never closed. The table is named after the `tableName` of the
 * conversations: `conversations_cache`. Lifetimes are measured by the database's clock. Failures reject with what the
 * client throws.
 *
 * On a pool and on PGlite, writes also remove some expired values. With a `Client`, calls within a transaction of the
 * application belong to it: others see a claimed key once the transaction is committed, and wait until then.
 *
 * Rejects with a `TypeError` for an invalid option, and with a `MemorySetupError` if the table can't be created or found.
 */
export async function createPostgresCacheAdapter(
  client: PostgresClient,
  options: Pick<PostgresConfig, "tableName" | "schema" | "migrate"> = {},
): Promise<CacheAdapter> {
  const { tableName, schema, migrate } = parseConfig(options);
  const operation = "createPostgresCacheAdapter";
  try {
    const sql = adaptClient(client);
    const names = await prepareTables(sql, cacheMigrations, { tableName, schema, migrate, operation });
    const statements = createCacheStatements(names, { removesEnded: sql.autocommit });
    const change = (statement: Statement) => sql.query({ ...statement, writes: true });
    return {
      get: async (key) => {
        const [row] = await sql.query(statements.get({ key }));
        return row === undefined ? undefined : (JSON.parse(row["value"] ?? '""') as string);
      },
      set: async (key, value, { ttlSeconds: seconds }) => {
        await change(statements.set({ key, value, seconds }));
      },
      delete: async (key) => {
        await change(statements.delete({ key }));
      },
      setIfAbsent: async (key, value, { ttlSeconds: seconds }) => {
        const [row] = await change(statements.setIfAbsent({ key, value, seconds }));
        return row?.["written"] === "1";
      },
    };
  } catch (thrown) {
    throw toSetupError(operation, thrown);
  }
}
