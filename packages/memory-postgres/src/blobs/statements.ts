import { type SQL, sql } from "drizzle-orm";
import { jsonTextOf, reusable } from "../client/statements.ts";
import { createBlobTables } from "../migrations/blobs.ts";
import type { ResolvedNames } from "../table-names.ts";

const hold = sql`${sql.placeholder("hold")}::text`;
const conversationId = sql`${sql.placeholder("conversationId")}::text`;
const sha256 = sql`${sql.placeholder("sha256")}::text`;
const hashes = sql`${sql.placeholder("hashes")}::text[]`;
const now = sql`floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
const held = sql`jsonb_build_object(${hold}, ${now} + ${sql.placeholder("seconds")}::bigint * 1000)`;

/** Returns an SQL condition: the column `holds` has a hold that hasn't ended. */
const isHeld = (holds: SQL): SQL =>
  sql`EXISTS (SELECT FROM jsonb_each_text(${holds}) AS one WHERE one.value::bigint > ${now})`;

/** Returns SQL for the column `holds`, without the holds that have ended. */
const lasting = (holds: SQL): SQL =>
  sql`(SELECT coalesce(jsonb_object_agg(one.key, one.value::bigint), '{}') FROM jsonb_each_text(${holds}) AS one
    WHERE one.value::bigint > ${now})`;

/** Creates the statements on the table of blobs. Each statement is atomic. */
export function createBlobStatements(names: ResolvedNames) {
  const { blobs } = createBlobTables(names);
  // In the order of the hashes, which prevents deadlocks.
  const locked = (condition: SQL): SQL => sql`locked AS (
      SELECT blob.sha256 FROM ${blobs} AS blob
      WHERE blob.conversation_id = ${conversationId} AND ${condition}
      ORDER BY blob.sha256 FOR UPDATE OF blob
    )`;
  const given = sql`SELECT * FROM unnest(${hashes}, ${sql.placeholder("tokens")}::text[]) AS given (sha256, token)`;

  return {
    put: reusable<"conversationId" | "sha256" | "data" | "hold" | "seconds">(sql`
      INSERT INTO ${blobs} AS blob (conversation_id, sha256, data, token, holds, checked_at)
      VALUES (${conversationId}, ${sha256}, decode(${sql.placeholder("data")}::text, 'base64'), ${hold}, ${held}, ${now})
      ON CONFLICT (conversation_id, sha256) DO UPDATE SET
        data = excluded.data, token = excluded.token, checked_at = excluded.checked_at,
        holds = ${lasting(sql`blob.holds`)} || excluded.holds`),

    keep: reusable<"conversationId" | "hashes" | "hold" | "seconds">(sql`
      WITH ${locked(sql`blob.sha256 = ANY (${hashes})`)}
      UPDATE ${blobs} AS blob SET token = ${hold}, holds = ${lasting(sql`blob.holds`)} || ${held}
      FROM locked WHERE blob.conversation_id = ${conversationId} AND blob.sha256 = locked.sha256
      RETURNING blob.sha256::text AS sha256`),

    release: reusable<"conversationId" | "hashes" | "hold">(sql`
      WITH ${locked(sql`blob.sha256 = ANY (${hashes})`)}
      UPDATE ${blobs} AS blob SET holds = blob.holds - ${hold}
      FROM locked WHERE blob.conversation_id = ${conversationId} AND blob.sha256 = locked.sha256`),

    get: reusable<"conversationId" | "sha256">(sql`
      SELECT encode(data, 'base64') AS data FROM ${blobs}
      WHERE conversation_id = ${conversationId} AND sha256 = ${sha256}`),

    list: reusable<"conversationId">(sql`
      SELECT blob.sha256::text AS sha256, octet_length(blob.data)::text AS size, ${jsonTextOf(sql`blob.token`)} AS token,
        ${isHeld(sql`blob.holds`)}::text AS held
      FROM ${blobs} AS blob WHERE blob.conversation_id = ${conversationId}`),

    remove: reusable<"conversationId" | "hashes" | "tokens">(sql`
      WITH given AS (${given}), ${locked(sql`EXISTS (SELECT FROM given WHERE given.sha256 = blob.sha256 AND given.token = blob.token)`)},
      gone AS (
        DELETE FROM ${blobs} AS blob USING given, locked
        WHERE blob.conversation_id = ${conversationId} AND blob.sha256 = locked.sha256
          AND given.sha256 = blob.sha256 AND given.token = blob.token
        RETURNING 1
      )
      SELECT count(*)::text AS removed FROM gone`),

    // Of the rows of a conversation, only the one that was checked last counts.
    due: reusable<"limit" | "idleSeconds">(sql`
      WITH waiting AS (
        SELECT blob.conversation_id, blob.checked_at FROM ${blobs} AS blob
        WHERE blob.checked_at <= (SELECT ${now} - ${sql.placeholder("idleSeconds")}::bigint * 1000)
          AND NOT EXISTS (
            SELECT FROM ${blobs} AS later WHERE later.conversation_id = blob.conversation_id
              AND (later.checked_at, later.sha256) > (blob.checked_at, blob.sha256)
          )
        ORDER BY blob.checked_at LIMIT ${sql.placeholder("limit")}::bigint FOR UPDATE OF blob SKIP LOCKED
      ), moved AS (
        UPDATE ${blobs} AS blob SET checked_at = ${now}
        WHERE blob.conversation_id IN (SELECT conversation_id FROM waiting)
      )
      SELECT ${jsonTextOf(sql`conversation_id`)} AS conversation_id FROM waiting ORDER BY checked_at`),
  };
}
