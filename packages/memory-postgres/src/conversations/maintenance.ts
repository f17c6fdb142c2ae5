import type { MemoryIssue, Result } from "@jaf/memory";
import {
  createFailure,
  createMemoryConnectionError,
  createMemoryValidationError,
  createSuccess,
  idIssue,
} from "@jaf/memory/adapter";
import { hasCode, type SqlClient } from "../client/clients.ts";
import { toMemoryError } from "../errors.ts";
import type { ResolvedNames } from "../table-names.ts";
import {
  type AnalyticsOptions,
  type ConversationAnalytics,
  createAnalyticsQuery,
  parseAnalyticsOptions,
  timeZoneIssue,
  toAnalytics,
} from "./analytics.ts";
import { createBatchDeletion } from "./erasure.ts";

/** The maintenance methods that this store has in addition to those of every provider. */
export interface Maintenance {
  /**
   * Deletes the conversations of all users that had no activity for more than `days` days, and all expired
   * conversations. Children are deleted with their parent, and only with it unless they expire. Returns the number of
   * deleted conversations that had not expired, without children. Deletes in small batches. Skips a conversation that
   * is being written to at that moment. `days` is a positive number and needn't be whole. Returns a
   * `MemoryValidationError` for any other value.
   */
  readonly cleanupOldConversations: (days: number) => Promise<Result<number>>;

  /**
   * Deletes expired conversations (those whose `ttlSeconds` have passed) in small batches, and returns their number
   * without children. No method of the provider returns an expired conversation, but the conversation uses space until it is deleted.
   */
  readonly purgeExpired: () => Promise<Result<number>>;

  /**
   * Returns figures over all conversations, or over those of the user `userId`. May take long, because the database
   * reads each conversation.
   */
  readonly getAnalytics: (
    userId?: string,
    options?: AnalyticsOptions,
  ) => Promise<Result<ConversationAnalytics>>;
}

export interface MaintenanceOptions {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  readonly isClosed: () => boolean;
}

const TOMBSTONES_AT_ONCE = 1_000;

// Raised for a time zone that Node knows but the database doesn't.
const INVALID_PARAMETER = new Set<unknown>(["22023"]);

const invalid = (operation: string, ...issues: readonly MemoryIssue[]) =>
  createFailure(createMemoryValidationError(issues, { provider: "postgres", operation }));

export function createMaintenance({ sql, names, isClosed }: MaintenanceOptions): Maintenance {
  const analyticsQuery = createAnalyticsQuery(names);
  const batchDeletion = createBatchDeletion(sql, names);

  async function sweepExpired(): Promise<number> {
    let more = true;
    while (more) more = await batchDeletion.sweepTombstones(TOMBSTONES_AT_ONCE);
    return (await batchDeletion.sweep("expired")).conversations;
  }

  async function attempt<T>(operation: string, action: () => Promise<T>): Promise<Result<T>> {
    if (isClosed()) {
      const details = { operation, retryable: false };
      const hint = "this provider was closed; create a new one";
      return createFailure(createMemoryConnectionError("postgres", hint, details));
    }
    try {
      return createSuccess(await action());
    } catch (thrown) {
      if (operation === "getAnalytics" && hasCode(thrown, INVALID_PARAMETER))
        return invalid(operation, timeZoneIssue);
      return createFailure(toMemoryError(operation, thrown));
    }
  }

  return {
    cleanupOldConversations: async (days) => {
      const operation = "cleanupOldConversations";
      if (typeof days !== "number" || !(days > 0) || !Number.isFinite(days))
        return invalid(operation, { path: "days", expected: "a positive, finite number" });
      return attempt(operation, async () => {
        await sweepExpired();
        return (await batchDeletion.sweep({ olderThanDays: days })).live;
      });
    },

    purgeExpired: () => attempt("purgeExpired", sweepExpired),

    getAnalytics: async (userId, options) => {
      const operation = "getAnalytics";
      const issue = userId === undefined ? undefined : idIssue("userId", userId);
      if (issue !== undefined) return invalid(operation, issue);
      const parsed = parseAnalyticsOptions(options);
      if (!("timeZone" in parsed)) return invalid(operation, ...parsed);
      const { timeZone } = parsed;
      return attempt(operation, async () => {
        const [row = {}] = await sql.query(analyticsQuery(timeZone, userId));
        return toAnalytics(row, timeZone);
      });
    },
  };
}
