import { describe, it } from "vitest";
import type { LedgerStore } from "../../ledger/ledger.ts";
import { reportCalls } from "../kit/calls.ts";
import { erasureRules } from "./erasure-rules.ts";
import { refusalRules } from "./refusal-rules.ts";
import { periodRules, reportRules } from "./report-rules.ts";
import type { LedgerRules } from "./scenario.ts";
import { atomicityRules, concurrencyRules, totalRules } from "./sum-rules.ts";

/** A ledger for one test. It is empty at first, and no other test uses it. */
export interface TestLedger {
  readonly ledger: LedgerStore;
  /**
   * Connects another ledger to the same storage. It must share nothing with `ledger` in this process (e.g. no
   * connection). Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<LedgerStore>;
  /**
   * Makes all stored sums older by this number of whole days, as if so much time had passed: moves them to earlier days
   * in the storage, or sets the clock of the storage forward.
   */
  readonly age: (days: number) => Promise<void>;
  /** Removes the storage. Called after the test, even if the test has closed the ledger. */
  readonly dispose: () => Promise<void>;
}

/** What `describeLedgerConformance` needs to test a ledger. */
export interface LedgerHarness {
  /** The ledger's name in the titles of the tests (e.g. `"mongodb"`). */
  readonly name: string;
  /** Creates a ledger in a new, empty namespace. Several ledgers may be in use at the same time. */
  readonly createLedger: () => Promise<TestLedger>;
  /** Why a record doesn't change all sums in one atomic write. Absent: it does. */
  readonly notAtomic?: string;
  /** The maximum duration of one test, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

const SUBJECTS = {
  totals: totalRules,
  concurrency: concurrencyRules,
  reports: reportRules,
  periods: periodRules,
  erasure: erasureRules,
  refusals: refusalRules,
};

/**
 * Declares the tests that check whether a `Ledger` follows its rules. Call this function at the top level of a vitest
 * file.
 *
 * @example
 * ```ts
 * import { createInMemoryLedger } from "@jaf/memory";
 * import { describeLedgerConformance } from "@jaf/memory/testing";
 *
 * describeLedgerConformance({
 *   name: "in-memory",
 *   createLedger: async () => {
 *     let passedDays = 0;
 *     const ledger = createInMemoryLedger({ now: () => new Date(Date.now() + passedDays * 86_400_000) });
 *     return {
 *       ledger,
 *       age: async (days) => {
 *         passedDays += days;
 *       },
 *       dispose: async () => void (await ledger.close()),
 *     };
 *   },
 * });
 * ```
 */
export function describeLedgerConformance(harness: LedgerHarness): void {
  const { name, notAtomic, timeoutMs = 30_000 } = harness;
  const declare = (rules: LedgerRules) => {
    for (const [title, check] of Object.entries(rules))
      it(title, { timeout: timeoutMs }, () => checkOnOneDay(() => checkRule(harness, check)));
  };
  describe(`Ledger: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) describe(subject, () => declare(rules));
    describe("atomicity", () => {
      if (notAtomic === undefined) declare(atomicityRules);
      else it.skip(`not atomic: ${notAtomic}`, () => {});
    });
  });
}

const utcDay = (): string => new Date().toISOString().slice(0, 10);

/** Runs a check again if it failed and a new day began meanwhile. */
async function checkOnOneDay(check: () => Promise<void>): Promise<void> {
  const day = utcDay();
  try {
    await check();
  } catch (thrown) {
    if (utcDay() === day) throw thrown;
    await check();
  }
}

async function checkRule({ createLedger }: LedgerHarness, check: LedgerRules[string]): Promise<void> {
  const { ledger, connect, age, dispose } = await createLedger();
  try {
    const other = (await connect?.()) ?? ledger;
    await reportCalls((recorded) =>
      check({ ledger: recorded(ledger), other: recorded(other, "other."), age }),
    );
  } finally {
    await dispose();
  }
}
