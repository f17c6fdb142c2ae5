import { describe, expect, it } from "vitest";
import { createInMemoryLedger, type LedgerEntry, type LedgerStore } from "../../src/index.ts";
import { erasureRules } from "../../src/testing/ledger/erasure-rules.ts";
import { refusalRules } from "../../src/testing/ledger/refusal-rules.ts";
import { periodRules, reportRules } from "../../src/testing/ledger/report-rules.ts";
import type { LedgerScenario } from "../../src/testing/ledger/scenario.ts";
import { atomicityRules, concurrencyRules, totalRules } from "../../src/testing/ledger/sum-rules.ts";

const rules = {
  ...totalRules,
  ...concurrencyRules,
  ...atomicityRules,
  ...reportRules,
  ...periodRules,
  ...erasureRules,
  ...refusalRules,
};

type Broken = (ledger: LedgerStore) => Partial<LedgerStore>;

/** Changes the entries of each record. */
const recording =
  (change: (entry: LedgerEntry) => LedgerEntry): Broken =>
  (ledger) => ({ record: (entries) => ledger.record(entries.map(change)) });

const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Mistakes of an adapter, and a rule that finds each. */
const mistakes: Readonly<Record<string, readonly [rule: keyof typeof rules, broken: Broken]>> = {
  "rounds shares of calls": [
    "sums up fractions exactly",
    recording((entry) => ({ ...entry, calls: Math.round(entry.calls ?? 0) })),
  ],
  "counts 32-bit numbers": [
    "keeps large amounts exactly",
    recording((entry) => ({ ...entry, inputTokens: Math.min(entry.inputTokens ?? 0, 2 ** 32) })),
  ],
  "compares ids without regard to case": [
    "confuses no ids of users and tenants",
    (ledger) => ({
      record: (entries) =>
        ledger.record(entries.map((entry) => ({ ...entry, userId: (entry.userId ?? "-").toLowerCase() }))),
    }),
  ],
  "loses entries of a record": [
    "sums up several entries of one record that belong together",
    (ledger) => ({ record: (entries) => ledger.record(entries.slice(0, 100)) }),
  ],
  "reads and then writes": [
    "counts all calls that are recorded at the same time",
    (ledger) => {
      let last = 0;
      return {
        record: async (entries) => {
          const before = ++last;
          await pause();
          return before === last ? ledger.record(entries) : { success: true, data: undefined };
        },
      };
    },
  ],
  "records one entry after the other": [
    "shows a record in all sums or in none",
    (ledger) => ({
      record: async (entries) => {
        for (const { tenantId: _, ...entry } of entries) {
          await ledger.record([entry]);
          await pause();
        }
        return { success: true, data: undefined };
      },
    }),
  ],
  "ignores the user of a query": [
    "shows only the user and the tenant that the query names",
    (ledger) => ({ report: ({ userId: _, ...query }) => ledger.report(query) }),
  ],
  "limits before it sorts": [
    "sorts equal costs by their tokens, and limits the rows",
    (ledger) => ({
      report: async ({ limit = 1_000, ...query }) => {
        const rows = await ledger.report(query);
        return rows.success ? { ...rows, data: rows.data.toReversed().slice(0, limit) } : rows;
      },
    }),
  ],
  "cuts long names": [
    "keeps names of the greatest length in every field",
    recording((entry) => ({ ...entry, model: entry.model.slice(0, 64) })),
  ],
  "shows all days": [
    "shows the days that the query names, and this month without them",
    (ledger) => ({ report: ({ from = "1970-01-01", ...query }) => ledger.report({ from, ...query }) }),
  ],
  "never begins again": [
    "begins again at midnight, and with each month",
    (ledger) => ({
      amounts: (scopes) => ledger.amounts(scopes.map((scope) => ({ ...scope, period: "month" }))),
    }),
  ],
  "erases the amounts": [
    "forgets who caused a user's amounts, and keeps the amounts",
    (ledger) => ({
      eraseUser: async () => {
        await ledger.close();
        return { success: true, data: 2 };
      },
    }),
  ],
  "continues after close": [
    "fails after close, and closes twice",
    () => ({ close: async () => ({ success: true, data: undefined }) }),
  ],
};

function scenario(broken: Broken): LedgerScenario {
  let ahead = 0;
  const working = createInMemoryLedger({ now: () => new Date(Date.now() + ahead * 86_400_000) });
  const ledger = { ...working, ...broken(working) };
  const age = async (days: number) => {
    ahead += days;
  };
  return { ledger, other: ledger, age };
}

describe("the kit for ledgers", () => {
  it.each(Object.entries(mistakes))("finds a ledger that %s", async (_, [rule, broken]) => {
    await expect(rules[rule]?.(scenario(() => ({})))).resolves.toBeUndefined();
    await expect(rules[rule]?.(scenario(broken))).rejects.toThrow();
  });
});
