import { and, eq, sql } from "drizzle-orm";
import type { SqlRow, Statement } from "./client/port.ts";
import type { ResolvedNames } from "./schema/names.ts";
import { conversationsOf, present, toStatement } from "./statements.ts";

/**
 * Over all conversations, or all of one user; expired ones are not counted. Each conversation counts once,
 * at the time of its last activity.
 */
export interface ConversationAnalytics {
  readonly totalConversations: number;
  /** Messages stored now. */
  readonly totalMessages: number;
  /** 0 when there is no conversation. */
  readonly averageMessagesPerConversation: number;
  /** Last active within the last 7 times 24 hours. */
  readonly conversationsLastWeek: number;
  /** Last active within the last 30 times 24 hours. */
  readonly conversationsLastMonth: number;
  /**
   * The hour of the day, 0 to 23 in UTC, in which most conversations were last active; of several, the earliest. Absent when
   * there is no conversation.
   */
  readonly busiestHour?: number;
  /** Likewise the day of the week, 0 for Sunday to 6 for Saturday. */
  readonly busiestWeekday?: number;
}

/** One row, from which {@link toAnalytics} makes the figures. */
export function createAnalyticsQuery(names: ResolvedNames) {
  const { columns: conversations, source, live } = conversationsOf(names);
  const { userId, totalMessages, lastActivity } = conversations;

  return (owner?: string): Statement =>
    toStatement(sql`
      WITH chosen AS MATERIALIZED (
        SELECT ${totalMessages} AS messages, ${lastActivity} AS active_at, ${lastActivity} AT TIME ZONE 'UTC' AS local
        FROM ${source}
        WHERE ${and(live, owner === undefined ? undefined : eq(userId, owner))}
      )
      SELECT count(*)::text AS conversations,
        coalesce(sum(messages), 0)::text AS messages,
        (count(*) FILTER (WHERE active_at > ${present} - interval '168 hours'))::text AS last_week,
        (count(*) FILTER (WHERE active_at > ${present} - interval '720 hours'))::text AS last_month,
        (SELECT extract(hour FROM local)::int AS hour FROM chosen WHERE isfinite(local) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)::text AS hour,
        (SELECT extract(dow FROM local)::int AS day FROM chosen WHERE isfinite(local) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)::text AS weekday
      FROM chosen`);
}

export function toAnalytics(row: SqlRow): ConversationAnalytics {
  const [conversations, messages] = [Number(row["conversations"]), Number(row["messages"])];
  return {
    totalConversations: conversations,
    totalMessages: messages,
    averageMessagesPerConversation: conversations === 0 ? 0 : messages / conversations,
    conversationsLastWeek: Number(row["last_week"]),
    conversationsLastMonth: Number(row["last_month"]),
    ...(row["hour"] == null ? {} : { busiestHour: Number(row["hour"]) }),
    ...(row["weekday"] == null ? {} : { busiestWeekday: Number(row["weekday"]) }),
  };
}
