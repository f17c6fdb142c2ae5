import { afterAll, beforeAll, describe, it } from "vitest";
import { type Level, levels, type MemoryProviderHarness } from "./kit/harness.ts";
import { type RuleOutcome, runRule, skipReason } from "./kit/run-rule.ts";
import { timeoutOf } from "./kit/scenario.ts";
import { endProcesses } from "./kit/second-process.ts";
import { type Rule, rulesOf, type Spec } from "./kit/spec.ts";
import { specsFor } from "./specs/index.ts";

// The kit must end a test before the test runner does.
/** By how many milliseconds the test runner's time limit of a test is longer than the kit's own time limit. */
const MARGIN_MS = 5_000;

/**
 * Declares the tests that check whether a `MemoryProvider` follows its contract, by level and subject. Call this
 * function at the top level of a vitest file. With another test runner, use `checkMemoryProvider`.
 *
 * @example
 * ```ts
 * import type { VersionedMemoryProvider } from "@jaf/memory";
 * import { describeMemoryProvider } from "@jaf/memory/testing";
 *
 * declare function createMyProvider(options: { prefix: string }): Promise<VersionedMemoryProvider>;
 *
 * describeMemoryProvider({
 *   name: "my store",
 *   createStore: async () => {
 *     const provider = await createMyProvider({ prefix: crypto.randomUUID() });
 *     return { provider, dispose: async () => void (await provider.close()) };
 *   },
 * });
 * ```
 */
export function describeMemoryProvider(harness: MemoryProviderHarness): void {
  const { setUp, tearDown, rules = "all" } = harness;
  const specs = specsFor(harness);
  const run = runnerOf(harness, specs);
  const skipped = new Map<string, number>();
  const onSkip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  const extent = rules === "smoke" ? " (a smoke, which proves no conformance)" : "";
  describe(`MemoryProvider: ${harness.name}${extent}`, () => {
    if (setUp !== undefined) beforeAll(() => setUp(), timeoutOf(harness));
    afterAll(async () => {
      endProcesses(harness);
      // Vitest prints how many tests were skipped, but no reasons.
      for (const [reason, rules] of skipped)
        console.warn(`${harness.name}: skipped ${rules} of the rules: ${reason}.`);
      await tearDown?.();
    }, timeoutOf(harness));
    for (const level of levels) {
      describe(level, () => {
        for (const spec of specs.filter((candidate) => candidate.level === level))
          declare(harness, spec, { run, onSkip });
      });
    }
  });
}

type Runner = (rule: Rule) => Promise<RuleOutcome>;

/** Returns a function that runs one rule. */
function runnerOf(harness: MemoryProviderHarness, specs: readonly Spec[]): Runner {
  // The rules with `concurrent: true` mostly wait, so all of them start when the first one is run. Vitest alone would
  // only run a few of them at the same time.
  const waiting = specs.filter((spec) => spec.concurrent === true).flatMap(rulesOf);
  let begun: Map<string, Promise<RuleOutcome>> | undefined;
  const reduce = createReducer();
  return async (rule) => {
    if (rule.concurrent === true)
      begun ??= new Map(waiting.map((each) => [nameOf(each), runRule(harness, each)]));
    const outcome = begun?.get(nameOf(rule)) ?? runRule(harness, rule);
    begun?.delete(nameOf(rule)); // Vitest may be configured to retry failed tests.
    return reduce(rule, await outcome);
  };
}

const nameOf = ({ subject, title }: Rule): string => `${subject}: ${title}`;

/**
 * Returns a function that changes the outcomes of rules, so that one rule fails for each function of the backend that
 * isn't written yet. All other rules that need the function are skipped.
 */
function createReducer(): (rule: Rule, outcome: RuleOutcome) => RuleOutcome {
  // Without this, the first run of a new backend would report the same missing function hundreds of times.
  const reporting = new Map<string, string>();
  return (rule, outcome) => {
    if (outcome.status !== "failed" || outcome.error.unwritten === undefined) return outcome;
    const what = outcome.error.unwritten;
    const reporter = reporting.get(what) ?? nameOf(rule);
    reporting.set(what, reporter);
    // A rule that is run again fails again, because vitest may be configured to retry failed tests.
    return reporter === nameOf(rule) ? outcome : { status: "skipped", reason: `not written yet: ${what}` };
  };
}

interface Declaring {
  readonly run: Runner;
  /** Called for each rule that was skipped as it ran. */
  readonly onSkip: (reason: string) => void;
}

function declare(harness: MemoryProviderHarness, spec: Spec, { run, onSkip }: Declaring): void {
  const { concurrent = false, subject } = spec;
  const reason = skipReason(harness, spec);
  describe(subject, { concurrent }, () => {
    for (const rule of rulesOf(spec)) {
      if (reason !== undefined) {
        it.skip(`${rule.title} (${reason})`);
        continue;
      }
      it(rule.title, { timeout: timeoutOf(harness) + MARGIN_MS }, async ({ skip }) => {
        const outcome = await run(rule);
        if (outcome.status === "failed") throw outcome.error;
        if (outcome.status !== "skipped") return;
        onSkip(outcome.reason);
        skip(outcome.reason);
      });
    }
  });
}

/** The result of testing one rule. If the rule is broken, `error` says what was expected and what was observed. */
export type RuleReport = {
  readonly level: Level;
  readonly subject: string;
  readonly rule: string;
} & RuleOutcome;

const reportOf = ({ level, subject, title }: Rule, outcome: RuleOutcome): RuleReport => ({
  level,
  subject,
  rule: title,
  ...outcome,
});

/**
 * Tests a provider by every rule, and returns a report on each rule. Use this function in scripts, and with test
 * runners other than vitest. A broken rule doesn't reject, but has the status `"failed"` in its report. Only rejects if
 * `setUp` or `tearDown` rejects.
 *
 * @example
 * ```ts
 * import { checkMemoryProvider, type MemoryProviderHarness } from "@jaf/memory/testing";
 *
 * declare const harness: MemoryProviderHarness;
 *
 * const reports = await checkMemoryProvider(harness);
 * const broken = reports.filter(({ status }) => status === "failed");
 * for (const { level, subject, rule } of broken) console.error(level, subject, rule);
 * ```
 */
export async function checkMemoryProvider(harness: MemoryProviderHarness): Promise<readonly RuleReport[]> {
  const reports: RuleReport[] = [];
  try {
    await harness.setUp?.();
    const specs = specsFor(harness);
    const run = runnerOf(harness, specs);
    for (const rule of specs.flatMap(rulesOf)) reports.push(reportOf(rule, await run(rule)));
  } finally {
    endProcesses(harness);
    await harness.tearDown?.();
  }
  return reports;
}
