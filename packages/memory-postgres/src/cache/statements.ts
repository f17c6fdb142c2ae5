import { type SQL, sql } from "drizzle-orm";
import type { ResolvedNames } from "../schema/names.ts";
import { jsonTextOf, reusable } from "../statements.ts";
import { createCacheTables } from "./tables.ts";

const key = sql`${sql.placeholder("key")}::text`;
const now = sql`floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
const expiresAt = sql`${now} + ${sql.placeholder("seconds")}::bigint * 1000`;

/** How many others that have ended a write takes away, so that what nobody asks for again doesn't pile up. */
const MOST_REMOVED = 20;

/** Statements on the table of a cache. Each is atomic. `removesEnded`: whether writes take away what has ended. */
export function createCacheStatements(names: ResolvedNames, { removesEnded }: { removesEnded: boolean }) {
  const { cache } = createCacheTables(names);

  // Once the entry is written, and of those that nobody else has locked: so no two writers wait for each other.
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

    /** `written` is 1 where the key was free. */
    setIfAbsent: write(sql`WHERE entry.expires_at <= ${now}`),

    delete: reusable<"key">(sql`DELETE FROM ${cache} WHERE key = ${key}`),
  };
}
