import { addAmounts, NO_AMOUNTS } from "./amounts.ts";
import type { LedgerBackend, LedgerKey } from "./backend.ts";
import { defineLedger } from "./define-ledger.ts";
import type { LedgerAmounts, LedgerScope, LedgerStore } from "./ledger.ts";
import { createLedgerReport, type LedgerSum } from "./report.ts";

/** The options of {@link createInMemoryLedger}. */
export interface InMemoryLedgerOptions {
  /** Returns the current time, for tests. Default: the time of this process. */
  readonly now?: () => Date;
}

const DAY_LENGTH = "2026-11-28".length;
const MONTH_LENGTH = "2026-11".length;

const nameOf = ({ user, tenant, agent, model, tool, cacheMiss }: LedgerKey, day: string): string =>
  JSON.stringify([day, user, tenant, agent, model, tool, cacheMiss]);

function createBackend(now: () => Date): LedgerBackend {
  const sums = new Map<string, LedgerSum>();
  const totals = new Map<string, LedgerAmounts>();
  const today = (): string => now().toISOString().slice(0, DAY_LENGTH);

  function addSum(sum: LedgerSum): void {
    const name = nameOf(sum, sum.day);
    const amounts = addAmounts(sums.get(name)?.amounts ?? NO_AMOUNTS, sum.amounts);
    sums.set(name, { ...sum, amounts });
  }

  function totalName({ of, id = "", period }: LedgerScope): string {
    const began = today().slice(0, period === "day" ? DAY_LENGTH : MONTH_LENGTH);
    return JSON.stringify([of, id, began]);
  }

  return {
    name: "memory",
    record: async (record) => {
      const day = today();
      for (const sum of record.sums) addSum({ ...sum, day });
      for (const { of, id, amounts } of record.totals)
        for (const period of ["day", "month"] as const) {
          const name = totalName({ of, id, period });
          totals.set(name, addAmounts(totals.get(name) ?? NO_AMOUNTS, amounts));
        }
    },
    amounts: async (scopes) => scopes.map((scope) => totals.get(totalName(scope)) ?? NO_AMOUNTS),
    report: async (query) => {
      const { to = today() } = query;
      const { from = `${to.slice(0, MONTH_LENGTH)}-01` } = query;
      const report = createLedgerReport(query);
      for (const sum of sums.values()) if (sum.day >= from && sum.day <= to) report.add(sum);
      return report.rows();
    },
    eraseUser: async (userId) => {
      const own = [...sums].filter(([, { user }]) => user === userId);
      for (const [name, sum] of own) {
        sums.delete(name);
        addSum({ ...sum, user: null });
      }
      const start = `${JSON.stringify(["user", userId]).slice(0, -1)},`;
      for (const name of totals.keys()) if (name.startsWith(start)) totals.delete(name);
      return own.length;
    },
    close: async () => {
      sums.clear();
      totals.clear();
    },
  };
}

/**
 * Creates a ledger in the memory of this process, for development and tests. Its budgets hold for this process only, and
 * a restart loses all sums.
 *
 * @example
 * ```ts
 * import { createInMemoryLedger } from "@jaf/memory";
 *
 * const ledger = createInMemoryLedger();
 * await ledger.record([{ userId: "user-42", agentName: "support", model: "gpt-5", calls: 1, cost: 0.02 }]);
 * const spent = await ledger.amounts([{ of: "user", id: "user-42", period: "day" }]);
 * if (spent.success) console.log(spent.data[0]?.cost); // 0.02
 * ```
 */
export const createInMemoryLedger = ({ now = () => new Date() }: InMemoryLedgerOptions = {}): LedgerStore =>
  defineLedger(createBackend(now));
