import type { MemoryStats } from "@jaf/memory";
import type { ConversationQuery, StoredConversation } from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import type { SqliteValue } from "../client/driver.ts";
import {
  bodiesOf,
  COLUMNS,
  type ConversationRow,
  firstPositionOf,
  isLive,
  liveRowOf,
  toConversationRow,
  toStoredConversation,
} from "./rows.ts";

/** A condition in SQL with its values. */
type Condition = readonly [sql: string, ...values: readonly SqliteValue[]];

const UNEXPIRED = "(expires_at IS NULL OR expires_at > ?)";

function conditionsOf(query: ConversationQuery, now: number): readonly Condition[] {
  const { conversationId, userId, childrenOf, traceId, since, until, cursor } = query;
  const optional: readonly (Condition | undefined)[] = [
    conversationId === undefined ? undefined : ["conversation_id = ?", conversationId],
    childrenOf === undefined
      ? conversationId === undefined
        ? ["parent_id IS NULL"]
        : undefined
      : ["parent_id = ?", childrenOf],
    userId === undefined ? undefined : ["user_id = ?", userId],
    traceId === undefined
      ? undefined
      : ["conversations.id IN (SELECT conversation FROM traces WHERE trace_id = ?)", traceId],
    since === undefined ? undefined : ["last_activity >= ?", since.getTime()],
    until === undefined ? undefined : ["last_activity <= ?", until.getTime()],
    cursor === undefined
      ? undefined
      : ["(last_activity, conversation_id) < (?, ?)", cursor.lastActivity.getTime(), cursor.conversationId],
  ];
  return [...optional.filter((condition) => condition !== undefined), [UNEXPIRED, now]];
}

/** Returns the statement of a query, with its values. The text depends only on which fields the query has. */
export function toFindStatement(
  query: ConversationQuery,
  now: number,
): readonly [sql: string, values: readonly SqliteValue[]] {
  const conditions = conditionsOf(query, now);
  const sql = `
SELECT ${COLUMNS} FROM conversations WHERE ${conditions.map(([condition]) => condition).join(" AND ")}
ORDER BY last_activity DESC, conversation_id DESC LIMIT ? OFFSET ?`;
  return [sql, [...conditions.flatMap(([, ...values]) => values), query.limit ?? -1, query.offset]];
}

/** Lists conversations in the transaction of `client`. */
export function findConversations(
  client: SqliteClient,
  query: ConversationQuery,
): readonly StoredConversation[] {
  const now = Date.now();
  const { childrenOf, conversationId } = query;
  if (childrenOf !== undefined && liveRowOf(client, childrenOf, now) === undefined) return [];
  const [sql, values] = toFindStatement(query, now);
  const found = client.all(sql, ...values).map(toConversationRow);
  // Only a query for one id can find a child of a parent that has expired.
  const live = conversationId === undefined ? found : found.filter((row) => isLive(client, row, now));
  const messagesOf = (row: ConversationRow) =>
    query.includeMessages ? bodiesOf(client, row, [firstPositionOf(row), row.next_position]) : [];
  return live.map((row) => toStoredConversation(row, messagesOf(row)));
}

const statsOf = (condition: string) => `
SELECT count(*) AS conversations, coalesce(sum(total_messages), 0) AS messages, min(created_at) AS oldest,
  max(created_at) AS newest
FROM conversations WHERE parent_id IS NULL AND ${UNEXPIRED}${condition}`;

const STATS = statsOf("");
const STATS_OF_USER = statsOf(" AND user_id = ?");

/** Counts conversations in the transaction of `client`. */
export function countConversations(client: SqliteClient, userId: string | undefined): MemoryStats {
  const now = Date.now();
  const row = userId === undefined ? client.first(STATS, now) : client.first(STATS_OF_USER, now, userId);
  const timeOf = (column: string) => (row?.[column] == null ? undefined : new Date(Number(row[column])));
  const [oldest, newest] = [timeOf("oldest"), timeOf("newest")];
  return {
    totalConversations: Number(row?.["conversations"]),
    totalMessages: Number(row?.["messages"]),
    ...(oldest === undefined ? {} : { oldestConversation: oldest }),
    ...(newest === undefined ? {} : { newestConversation: newest }),
  };
}
