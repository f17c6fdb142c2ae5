import { TOMBSTONE_SECONDS } from "@jaf/memory/adapter";
import { and, eq, sql } from "drizzle-orm";
import type { Statement } from "./client/port.ts";
import { conversationParts } from "./conversation-parts.ts";
import { createHistoryQuery } from "./history.ts";
import { createFindQuery } from "./listing.ts";
import type { ResolvedNames } from "./schema/names.ts";
import { millisecondsOf, toStatement, toWrite } from "./statements.ts";

/** Every statement for one set of tables but writing, reading one conversation, and what works in batches. */
export function createQueries(names: ResolvedNames, maxReadBytes: number) {
  const parts = conversationParts(names, maxReadBytes);
  const { conversation, functionName } = parts;
  const { columns: conversations, source, live } = conversation;

  return {
    find: createFindQuery(parts),
    history: createHistoryQuery(parts),

    /** The call of the function that deletes one; `migrations/0004_erasure.sql` describes it, and the next one. */
    delete: (id: string): Statement =>
      toWrite(sql`
        SELECT ${sql.raw(functionName("_delete"))}(${id}::text, ${TOMBSTONE_SECONDS}::bigint)::text AS was_live`),

    /** Leaves the tombstone of a user. */
    clear: (userId: string): Statement =>
      toWrite(
        sql`SELECT FROM ${sql.raw(functionName("_clear"))}(${userId}::text, ${TOMBSTONE_SECONDS}::bigint)`,
      ),

    stats: (userId?: string): Statement =>
      toStatement(sql`
        SELECT count(*)::text AS conversations,
          coalesce(sum(${conversations.totalMessages}), 0)::text AS messages,
          ${millisecondsOf(sql`min(${conversations.createdAt})`)} AS oldest,
          ${millisecondsOf(sql`max(${conversations.createdAt})`)} AS newest
        FROM ${source}
        WHERE ${and(live, userId === undefined ? undefined : eq(conversations.userId, userId))}`),
  };
}
