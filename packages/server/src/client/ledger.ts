import type { LedgerGroup, LedgerQuery, LedgerRow } from "@jaf/memory";
import type { CallOptions, Http } from "./http.ts";

/** Which sums of the user a report has. `by`: default `["day"]`. `limit`: 1 to 1,000 rows, default 200. */
export interface OwnLedgerQuery extends Pick<LedgerQuery, "from" | "to" | "limit"> {
  readonly by?: readonly Exclude<LedgerGroup, "user" | "tenant">[];
}

/** Which sums of all users a report has. `by`: default `["day"]`. `limit`: 1 to 1,000 rows, default 200. */
export interface WholeLedgerQuery extends Omit<LedgerQuery, "by"> {
  readonly by?: readonly LedgerGroup[];
}

/** A report from the ledger: the highest cost first. */
export interface LedgerReport {
  readonly rows: readonly LedgerRow[];
}

/** Reports what model calls used and cost. Rejects with code `"not-configured"` if the server has no ledger. */
export interface LedgerMethods {
  /** Sums up the user's own model calls. */
  readonly own: (query?: OwnLedgerQuery, options?: CallOptions) => Promise<LedgerReport>;
  /**
   * Sums up the model calls of all users. Rejects with code `"forbidden"` unless the server option `mayReadLedger`
   * allows it.
   */
  readonly all: (query?: WholeLedgerQuery, options?: CallOptions) => Promise<LedgerReport>;
}

export function ledgerMethods(http: Http): LedgerMethods {
  const read =
    (path: string) =>
    ({ by, ...query }: WholeLedgerQuery = {}, options?: CallOptions): Promise<LedgerReport> =>
      http.call(path, { query: { ...query, by: by?.join(",") }, ...options });
  return { own: read("/ledger"), all: read("/ledger/all") };
}
