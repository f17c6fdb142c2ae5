import type { MemoryProviderHarness } from "./harness.ts";
import type { Level } from "./level.ts";
import { type RuleOutcome, runRule } from "./run-rule.ts";
import { endProcesses } from "./second-process.ts";
import { type Rule, rulesOf } from "./spec.ts";
import { specsFor } from "./specs/index.ts";

/** What became of one rule. A failed one has an `error` that says what was expected, and what was observed. */
export type RuleReport = {
  readonly level: Level;
  readonly subject: string;
  readonly rule: string;
} & RuleOutcome;

async function report(harness: MemoryProviderHarness, rule: Rule): Promise<RuleReport> {
  const { level, subject, title } = rule;
  return { level, subject, rule: title, ...(await runRule(harness, rule)) };
}

/**
 * Applies every rule to a provider and reports on each: for test runners other than vitest, and for scripts. It
 * rejects only when `setUp` or `tearDown` does.
 *
 * ```ts
 * const broken = (await checkMemoryProvider(harness)).filter(({ status }) => status === "failed");
 * ```
 */
export async function checkMemoryProvider(harness: MemoryProviderHarness): Promise<readonly RuleReport[]> {
  const reports: RuleReport[] = [];
  try {
    await harness.setUp?.();
    let waiting: Promise<RuleReport>[] = [];
    for (const rule of specsFor(harness).flatMap(rulesOf)) {
      if (rule.concurrent === true) {
        waiting.push(report(harness, rule));
        continue;
      }
      reports.push(...(await Promise.all(waiting)), await report(harness, rule));
      waiting = [];
    }
    reports.push(...(await Promise.all(waiting)));
  } finally {
    endProcesses(harness);
    await harness.tearDown?.();
  }
  return reports;
}
