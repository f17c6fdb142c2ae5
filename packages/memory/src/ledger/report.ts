import { addAmounts, NO_AMOUNTS, roundAmounts } from "./amounts.ts";
import type { LedgerAddition, LedgerReportQuery } from "./backend.ts";
import type { LedgerAmounts, LedgerGroup, LedgerRow } from "./ledger.ts";

/** A stored sum. `day` is a date such as `2026-11-28`. */
export interface LedgerSum extends LedgerAddition {
  readonly day: string;
}

/** A report that is summed up from the sums that a backend reads. */
export interface LedgerReport {
  /** Adds a sum to its row. Sums of other users or tenants than those that the query names are left out. */
  readonly add: (sum: LedgerSum) => void;
  /** Returns the rows in the order of the report, at most as many as the query's limit. */
  readonly rows: () => readonly LedgerRow[];
}

type Group = Readonly<Partial<Record<LedgerGroup, string | null>>>;

const tokensOf = ({ inputTokens, outputTokens }: LedgerAmounts): number => inputTokens + outputTokens;

/**
 * Creates an empty report. Use it in a backend whose storage can't group and sort. The backend selects the days.
 *
 * @example
 * ```ts
 * import { createLedgerReport, type LedgerReportQuery, type LedgerSum } from "@jaf/memory/adapter";
 *
 * declare function readSums(from?: string, to?: string): AsyncIterable<LedgerSum>;
 *
 * export async function report(query: LedgerReportQuery) {
 *   const summedUp = createLedgerReport(query);
 *   for await (const sum of readSums(query.from, query.to)) summedUp.add(sum);
 *   return summedUp.rows();
 * }
 * ```
 */
export function createLedgerReport({ by, userId, tenantId, limit }: LedgerReportQuery): LedgerReport {
  const groups = new Map<string, { readonly group: Group; amounts: LedgerAmounts }>();

  function compareGroups(a: Group, b: Group): number {
    for (const field of by) {
      const [left, right] = [a[field] ?? "", b[field] ?? ""];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  }

  return {
    add: (sum) => {
      if (userId !== undefined && sum.user !== userId) return;
      if (tenantId !== undefined && sum.tenant !== tenantId) return;
      const values = by.map((field) => sum[field]);
      const name = JSON.stringify(values);
      const known = groups.get(name);
      if (known !== undefined) known.amounts = addAmounts(known.amounts, sum.amounts);
      else {
        const group = Object.fromEntries(by.map((field, index) => [field, values[index] ?? null]));
        groups.set(name, { group, amounts: addAmounts(NO_AMOUNTS, sum.amounts) });
      }
    },
    rows: () =>
      [...groups.values()]
        .map(({ group, amounts }) => ({ group, amounts: roundAmounts(amounts) }))
        .sort(
          (a, b) =>
            b.amounts.cost - a.amounts.cost ||
            tokensOf(b.amounts) - tokensOf(a.amounts) ||
            compareGroups(a.group, b.group),
        )
        .slice(0, limit)
        .map(({ group, amounts }) => ({ ...group, ...amounts }) as LedgerRow),
  };
}
