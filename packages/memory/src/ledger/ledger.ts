import type { Result } from "../contract/errors.ts";

/** The tokens and the cost of model calls. The fields are those of `ModelUsage` of `@jaf/core`. */
export interface LedgerAmounts {
  /** The number of model calls. A call that is shared between several tools counts as a fraction for each. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** In the currency of the application's prices. 0 for calls without a price. */
  readonly cost: number;
}

/**
 * Why a model call read less from the prompt cache than it could have: what changed in the prompt since the agent's
 * previous call in the same conversation.
 *
 * - `"first-call"`: there was no previous call.
 * - `"model"`, `"instructions"`, `"tools"`: this part of the prompt changed.
 * - `"messages"`: the earlier messages changed, e.g. because a window moved or a summary replaced them.
 * - `"expired"`: nothing changed, but the previous call was longer ago than the cache keeps a prompt.
 * - `"unknown"`: nothing changed, and the service read less all the same.
 */
export type CacheMiss =
  | "first-call"
  | "model"
  | "instructions"
  | "tools"
  | "messages"
  | "expired"
  | "unknown";

/** A model call, or a share of one, that is added to the ledger. */
export interface LedgerEntry extends Partial<LedgerAmounts> {
  /** The user that the run acts for. Absent: no user. */
  readonly userId?: string;
  /** The tenant (e.g. the customer) that the user belongs to. Absent: no tenant. */
  readonly tenantId?: string;
  /** The registry key of the agent that made the call. */
  readonly agentName: string;
  /** The name of the model that replied. */
  readonly model: string;
  /** The tool whose result the call read for the first time. Absent: the call read no new result. */
  readonly tool?: string;
  /** Why the call read less from the prompt cache than it could have. Absent: it read what it could, or it isn't known. */
  readonly cacheMiss?: CacheMiss;
}

/** Whose amounts of which period a budget limits. A day and a month begin at midnight UTC, by the store's clock. */
export interface LedgerScope {
  readonly of: "user" | "tenant" | "everyone";
  /** The id of the user or the tenant. Absent for `"everyone"`. */
  readonly id?: string;
  readonly period: "day" | "month";
}

/** A field by which a report groups. `"day"` is a date such as `2026-11-28`, in UTC. */
export type LedgerGroup = "day" | "user" | "tenant" | "agent" | "model" | "tool" | "cacheMiss";

/** Which amounts a report sums up, and how. A query with unknown fields, or with an id that is `undefined`, is refused. */
export interface LedgerQuery {
  /** The first day, e.g. `2026-11-01`, in UTC. Default: the first day of the current month. */
  readonly from?: string;
  /** The last day. Default: today. */
  readonly to?: string;
  /** Only this user's amounts. */
  readonly userId?: string;
  /** Only this tenant's amounts. */
  readonly tenantId?: string;
  /** The fields to group by, at least one. */
  readonly by: readonly LedgerGroup[];
  /** The maximum number of rows: those with the highest cost, then with the most tokens. Default 1,000. */
  readonly limit?: number;
}

/** A row of a report: the amounts of one group. Fields that the query doesn't group by are absent. */
export interface LedgerRow extends LedgerAmounts {
  readonly day?: string;
  /** `null`: calls without a user. The same holds for `tenant`, `tool` and `cacheMiss`. */
  readonly user?: string | null;
  readonly tenant?: string | null;
  readonly agent?: string;
  readonly model?: string;
  readonly tool?: string | null;
  readonly cacheMiss?: CacheMiss | null;
}

/**
 * Stores what model calls used and cost, as sums by day, user, tenant, agent, model, tool and cause of cache misses. It
 * keeps no single calls, so it grows with the number of different sums only.
 *
 * Sums are added atomically: calls that several processes record at the same time are all counted. Failures are tagged
 * errors in the result.
 */
export interface Ledger {
  /**
   * Adds the entries in one atomic write. It isn't repeated after a lost reply, because it would then count twice: so a
   * failed `record` can be missing in the sums.
   */
  readonly record: (entries: readonly LedgerEntry[]) => Promise<Result<void>>;
  /** Returns the amounts of each scope in its current period, in the order of the scopes, in one round trip. */
  readonly amounts: (scopes: readonly LedgerScope[]) => Promise<Result<readonly LedgerAmounts[]>>;
  /** Returns sums, the highest cost first. */
  readonly report: (query: LedgerQuery) => Promise<Result<readonly LedgerRow[]>>;
  /**
   * Forgets who caused a user's amounts: they count as calls without a user from now on. The sums of tenants and of
   * everyone stay as they are. Returns the number of changed sums.
   */
  readonly eraseUser: (userId: string) => Promise<Result<number>>;
}
