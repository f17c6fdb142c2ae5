import type { Result } from "../contract/errors.ts";

/**
 * The tokens and the cost of model calls. The fields are those of `ModelUsage` of `@jaf/core`. Sums are exact to twelve
 * decimal places, which they are rounded to: ten times 0.1 is 1.
 */
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

/**
 * A model call, or a share of one, that is added to the ledger. An absent amount is 0. Each amount is a number from 0 to
 * 2⁵³ - 1. Ids and names follow the rule for ids: 1 to 255 UTF-16 units without NUL and unpaired surrogates.
 */
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

/**
 * One sum of the ledger that a budget can limit: what a user, a tenant or everyone has used in a day or a month. A day and a month begin at midnight UTC, by the store's clock. (On a
 * Redis Cluster, by the clock of the server that has the sum.)
 */
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
  /** The first day, e.g. `2026-11-01`, in UTC. Default: the first day of the month of `to`. */
  readonly from?: string;
  /** The last day, in UTC. Default: today. */
  readonly to?: string;
  /** Only this user's amounts. */
  readonly userId?: string;
  /** Only this tenant's amounts. */
  readonly tenantId?: string;
  /** The fields to group by: at least one, and none twice. */
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
 * Each sum is added to atomically: calls that several processes record at the same time are all counted. Failures are
 * tagged errors in the result. There are three ways to create a ledger:
 *
 * - `createInMemoryLedger`,
 * - the function of a backend's package (e.g. `createRedisLedger` of `@jaf/memory-redis`),
 * - `defineLedger` of `@jaf/memory/adapter`, for your own backend.
 */
export interface Ledger {
  /**
   * Adds the entries. When the promise resolves, each later `amounts` and `report` of any process contains them.
   *
   * All sums change in one atomic write, except on a Redis Cluster: there they may be on several servers, each sum is
   * atomic by itself, and after a failure some sums may contain the entries while others don't.
   *
   * A failed `record` isn't repeated, because the entries would count twice if only the reply was lost. So the sums may
   * or may not contain the entries of a failed `record`.
   */
  readonly record: (entries: readonly LedgerEntry[]) => Promise<Result<void>>;
  /**
   * Returns the amounts of each scope in its current period, in the order of the scopes, in one round trip. Takes the
   * same time however large the ledger is.
   */
  readonly amounts: (scopes: readonly LedgerScope[]) => Promise<Result<readonly LedgerAmounts[]>>;
  /** Returns sums, the highest cost first. Calls that are recorded meanwhile may or may not be contained. */
  readonly report: (query: LedgerQuery) => Promise<Result<readonly LedgerRow[]>>;
  /**
   * Forgets who caused a user's amounts: they count as calls without a user from now on, and the user's budgets begin
   * at zero. The sums of tenants and of everyone stay as they are. Returns the number of sums that named the user; after
   * a failure, repeat the call. A call that is recorded later counts for the user again, so erase a user whose runs have
   * ended.
   */
  readonly eraseUser: (userId: string) => Promise<Result<number>>;
}

/** A {@link Ledger} with its connection. */
export interface LedgerStore extends Ledger {
  /** The name of the backend (e.g. `"postgres"`). */
  readonly name: string;
  /**
   * Closes the clients that the ledger opened itself. After `close`, all other methods fail with a
   * `MemoryConnectionError`, and another `close` returns the result of the first one.
   */
  readonly close: () => Promise<Result<void>>;
}
