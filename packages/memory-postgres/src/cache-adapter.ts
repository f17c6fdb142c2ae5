import type { CacheAdapter } from "@jaf/memory";
import { type SQL, sql } from "drizzle-orm";
import type { PostgresClient } from "./client/clients.ts";
import type { Statement } from "./client/statement.ts";
import { jsonTextOf, reusable } from "./client/statements.ts";
import { type PostgresConfig, parseConfig } from "./config.ts";
import { cacheTables, createCacheTables } from "./migrations/cache.ts";
import { openStore, requireClient } from "./open-store.ts";
import type { ResolvedNames } from "./table-names.ts";

/**
 * Creates a cache in a table of Postgres or PGlite that all processes share. Creates the table if it is missing.
 * `client` is a `Pool`, a connected `Client` or a PGlite, and is never closed. The table's name begins with the
 * `tableName` of the conversations, e.g. `conversations_cache`. Values expire by the database's clock. If the client
 * reports an error, the cache's method rejects with that error.
 *
 * On a pool and on PGlite, writes remove some expired values of other keys. With a `Client`, calls within a transaction
 * of the application are part of that transaction. Until that transaction commits, other processes that write to the
 * same key wait.
 *
 * Rejects with a `TypeError` for an invalid client or option, and with a `MemorySetupError` if the table can't be
 * created or found.
 *
 * @example
 * ```ts
 * import { createPostgresCacheAdapter } from "@jaf/memory-postgres";
 * import { Pool } from "pg";
 *
 * declare function sendReport(): Promise<void>;
 *
 * const cache = await createPostgresCacheAdapter({ schema: "memory" }, new Pool());
 * const isFirst = await cache.setIfAbsent("report:2026-11-02", "sent", { ttlSeconds: 86_400 });
 * if (isFirst) await sendReport();
 * ```
 */
export async function createPostgresCacheAdapter(
  config: Pick<PostgresConfig, "tableName" | "schema" | "migrate">,
  client: PostgresClient,
): Promise<CacheAdapter> {
  const operation = "createPostgresCacheAdapter";
  requireClient(client, operation);
  const opening = { settings: parseConfig(config), client, group: cacheTables, operation };
  return openStore(opening, ({ sql, names }) => {
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
  });
}

const key = sql`${sql.placeholder("key")}::text`;
const now = sql`floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
const expiresAt = sql`${now} + ${sql.placeholder("seconds")}::bigint * 1000`;

/** The maximum number of expired values that a write removes. */
// Otherwise, values that are never read again would pile up.
const MOST_REMOVED = 20;

/**
 * Creates the statements on the table of a cache. `removesEnded`: whether writes remove some expired values of other
 * keys.
 */
function createCacheStatements(names: ResolvedNames, { removesEnded }: { removesEnded: boolean }) {
  const { cache } = createCacheTables(names);

  // The removal runs after the value is written. It skips locked rows, so two writers never wait for each other.
  const removing = sql`, ended AS (
      SELECT old.key FROM ${cache} AS old
      WHERE EXISTS (SELECT FROM written) AND old.expires_at <= (SELECT ${now}) AND old.key <> ${key}
      ORDER BY old.expires_at LIMIT ${sql.raw(String(MOST_REMOVED))} FOR UPDATE OF old SKIP LOCKED
    ), removed AS (DELETE FROM ${cache} AS entry USING ended WHERE entry.key = ended.key)`;

  const write = (condition: SQL) =>
    reusable<"key" | "value" | "seconds">(sql`
      WITH written AS (
        INSERT INTO ${cache} AS entry (key, value, expires_at)
        VALUES (${key}, ${sql.placeholder("value")}::text, ${expiresAt})
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at ${condition}
        RETURNING 1
      )${removesEnded ? removing : sql``}
      SELECT count(*)::text AS written FROM written`);

  return {
    get: reusable<"key">(sql`
      SELECT ${jsonTextOf(sql`value`)} AS value FROM ${cache} WHERE key = ${key} AND expires_at > ${now}`),

    set: write(sql``),

    /**
     * Writes the value only if the key has no value, or an expired one. The column `written` is 1 if the value was
     * written, else 0.
     */
    setIfAbsent: write(sql`WHERE entry.expires_at <= ${now}`),

    delete: reusable<"key">(sql`DELETE FROM ${cache} WHERE key = ${key}`),
  };
}
