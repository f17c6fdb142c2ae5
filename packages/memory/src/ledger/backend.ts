import type { MemoryErrorUnion } from "../contract/errors.ts";
import type { CacheMiss, LedgerAmounts, LedgerQuery, LedgerRow, LedgerScope } from "./ledger.ts";

/** What the calls of one sum have in common, apart from the day. `null`: the calls have none. */
export interface LedgerKey {
  readonly user: string | null;
  readonly tenant: string | null;
  readonly agent: string;
  readonly model: string;
  readonly tool: string | null;
  readonly cacheMiss: CacheMiss | null;
}

/** Amounts to add to a sum of the current day, for reports. */
export interface LedgerAddition extends LedgerKey {
  readonly amounts: LedgerAmounts;
}

/** Amounts to add to the totals of the current day and of the current month, for budgets. */
export interface LedgerTotal extends Pick<LedgerScope, "of"> {
  /** The id of the user or the tenant. `""` for everyone. */
  readonly id: string;
  readonly amounts: LedgerAmounts;
}

/** The entries of one `record`, summed up: no key occurs twice in `sums`, and no `of` and `id` twice in `totals`. */
export interface LedgerRecord {
  readonly sums: readonly LedgerAddition[];
  readonly totals: readonly LedgerTotal[];
}

/** A checked query, with its default `limit`. Without `from` and `to`, the backend applies the defaults of `LedgerQuery`. */
export interface LedgerReportQuery extends LedgerQuery {
  readonly limit: number;
}

/**
 * The storage port of a ledger. `defineLedger` makes a `Ledger` from a backend. The `Ledger` checks all arguments and
 * sums up the entries of each `record`, so a backend only does I/O. Methods may throw their driver's errors.
 *
 * A backend keeps two kinds of sums: those for reports, by day and {@link LedgerKey}, and the totals for budgets, by
 * scope. With totals of their own, `amounts` reads one value for each scope. Ids and names are compared exactly. They
 * have 1 to 255 UTF-16 units, and may contain any character except NUL and unpaired surrogates. Amounts are doubles.
 */
export interface LedgerBackend {
  /** The store's name in errors (e.g. `"postgres"`). */
  readonly name: string;
  /** Adds to each sum atomically. The days and months are those of the store's clock, in UTC. */
  readonly record: (record: LedgerRecord) => Promise<void>;
  /** Returns the totals of each scope in its current period, in the order of the scopes. An unknown total is all zeros. */
  readonly amounts: (scopes: readonly LedgerScope[]) => Promise<readonly LedgerAmounts[]>;
  /**
   * Returns the rows of a report, sorted and limited. `createLedgerReport` does this for a backend that has no query
   * language.
   */
  readonly report: (query: LedgerReportQuery) => Promise<readonly LedgerRow[]>;
  /**
   * Adds each sum of the user to the sum with the same day and the same key without a user, and removes it, atomically
   * for each sum. Removes the user's totals. Nothing of the id may stay in the storage. Returns the number of the user's
   * sums, without totals.
   */
  readonly eraseUser: (userId: string) => Promise<number>;
  /** Closes the clients that the backend opened itself, but no client that it was given. Called at most once. */
  readonly close: () => Promise<void>;
  /**
   * Converts an error that a method threw into a tagged error. Default: a `MemoryStorageError` that contains the name of
   * the error's class. That of `record` isn't retryable, because the entries may have been counted.
   */
  readonly toMemoryError?: (operation: string, thrown: unknown) => MemoryErrorUnion;
}
