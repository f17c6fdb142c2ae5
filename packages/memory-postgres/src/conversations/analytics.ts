import type { MemoryIssue } from "@jaf/memory";
import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { SqlRow, Statement } from "../client/statement.ts";
import { statementTime, toStatement } from "../client/statements.ts";
import type { ResolvedNames } from "../table-names.ts";
import { conversationsOf } from "./rows.ts";

/**
 * Figures over all conversations, or over those of one user. Expired conversations and children don't count. Each conversation
 * counts once, at the time of its last activity.
 */
export interface ConversationAnalytics {
  /** The number of conversations. */
  readonly totalConversations: number;
  /** The number of stored messages. */
  readonly totalMessages: number;
  /** The average number of messages of a conversation. 0 if there is no conversation. */
  readonly averageMessagesPerConversation: number;
  /** The number of conversations that were last active within the last 7 × 24 hours. */
  readonly conversationsLastWeek: number;
  /** The number of conversations that were last active within the last 30 × 24 hours. */
  readonly conversationsLastMonth: number;
  /**
   * The hour of the day, 0 to 23 in `timeZone`, in which the most conversations were last active. If several hours are
   * equal, the earliest one. Absent if there is no conversation.
   */
  readonly busiestHour?: number;
  /**
   * The day of the week in `timeZone` on which the most conversations were last active: 0 (Sunday) to 6 (Saturday). If
   * several days are equal, the one with the lowest number. Absent if there is no conversation.
   */
  readonly busiestWeekday?: number;
  /** The time zone in which `busiestHour` and `busiestWeekday` are counted. */
  readonly timeZone: string;
}

/** The options of `getAnalytics` of a `PostgresProvider`. */
export interface AnalyticsOptions {
  /** An IANA time zone, e.g. `"Europe/Berlin"`. Daylight saving time is respected. Default `"UTC"`. */
  readonly timeZone?: string;
}

// Only names of the form "Area/City" and "UTC" are allowed. Postgres and Node may disagree about other names: Postgres
// takes "CET" for winter time all year.
const AREA_AND_CITY = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+)$/;

// Obsolete names that Node knows, but only some versions of Postgres.
const OUT_OF_USE = /^SystemV\//i;

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false; // Throws a RangeError for an unknown zone.
  }
}

/** The issue to report for a time zone that Node or the database doesn't know. */
export const timeZoneIssue: MemoryIssue = {
  path: "timeZone",
  expected: 'an IANA time zone of the form "Area/City", or "UTC"',
};

const isTimeZone = (timeZone: unknown): boolean =>
  typeof timeZone === "string" &&
  AREA_AND_CITY.test(timeZone) &&
  !OUT_OF_USE.test(timeZone) &&
  isKnown(timeZone);

const optionsSchema = z
  .strictObject({ timeZone: z.custom<string>(isTimeZone).default("UTC") })
  .default({ timeZone: "UTC" });

function toIssues(issue: z.core.$ZodIssue): readonly MemoryIssue[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((path) => ({ path, expected: "no such field" }));
  return issue.path.length > 0 ? [timeZoneIssue] : [{ path: "options", expected: "an object" }];
}

/** Returns the options with their defaults, or a list of issues if the options are invalid. */
export function parseAnalyticsOptions(options: unknown): Required<AnalyticsOptions> | readonly MemoryIssue[] {
  const parsed = optionsSchema.safeParse(options);
  return parsed.success ? parsed.data : parsed.error.issues.flatMap(toIssues);
}

/**
 * Returns a function that makes the statement for the figures. With `owner`, only the conversations of this user count.
 */
export function createAnalyticsQuery(names: ResolvedNames) {
  const { columns: conversations, source, live, isRoot } = conversationsOf(names);
  const { userId, totalMessages, lastActivity } = conversations;

  return (timeZone: string, owner?: string): Statement =>
    toStatement(sql`
      WITH chosen AS MATERIALIZED (
        SELECT ${totalMessages} AS messages, ${lastActivity} AS active_at, ${lastActivity} AT TIME ZONE ${timeZone}::text AS local
        FROM ${source}
        WHERE ${and(live, isRoot, owner === undefined ? undefined : eq(userId, owner))}
      )
      SELECT count(*)::text AS conversations,
        coalesce(sum(messages), 0)::text AS messages,
        (count(*) FILTER (WHERE active_at > ${statementTime} - interval '168 hours'))::text AS last_week,
        (count(*) FILTER (WHERE active_at > ${statementTime} - interval '720 hours'))::text AS last_month,
        (SELECT extract(hour FROM local)::int AS hour FROM chosen WHERE isfinite(local) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)::text AS hour,
        (SELECT extract(dow FROM local)::int AS day FROM chosen WHERE isfinite(local) GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)::text AS weekday
      FROM chosen`);
}

export function toAnalytics(row: SqlRow, timeZone: string): ConversationAnalytics {
  const [conversations, messages] = [Number(row["conversations"]), Number(row["messages"])];
  return {
    totalConversations: conversations,
    totalMessages: messages,
    averageMessagesPerConversation: conversations === 0 ? 0 : messages / conversations,
    conversationsLastWeek: Number(row["last_week"]),
    conversationsLastMonth: Number(row["last_month"]),
    ...(row["hour"] == null ? {} : { busiestHour: Number(row["hour"]) }),
    ...(row["weekday"] == null ? {} : { busiestWeekday: Number(row["weekday"]) }),
    timeZone,
  };
}
