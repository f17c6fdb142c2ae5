import { afterAll, beforeAll, describe, it } from "vitest";
import type { MemoryProviderHarness } from "./harness.ts";
import { levels } from "./level.ts";
import { type RuleOutcome, runRule, skipReason } from "./run-rule.ts";
import { timeoutOf } from "./scenario.ts";
import { type Rule, rulesOf, type Spec } from "./spec.ts";
import { specsFor } from "./specs/index.ts";

/** For what a test does beside its rule, so that the kit's own words come before the runner's. */
const MARGIN_MS = 5_000;

/**
 * Declares the conformance tests of the MemoryProvider contract, by level and subject. Call it at the top of a vitest
 * file; `checkMemoryProvider` does the same without vitest's runner.
 *
 * ```ts
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
  const { setUp, tearDown } = harness;
  const specs = specsFor(harness);
  describe(`MemoryProvider: ${harness.name}`, () => {
    if (setUp !== undefined) beforeAll(() => setUp(), timeoutOf(harness));
    if (tearDown !== undefined) afterAll(() => tearDown(), timeoutOf(harness));
    for (const level of levels) {
      describe(level, () => {
        for (const spec of specs.filter((candidate) => candidate.level === level)) declare(harness, spec);
      });
    }
  });
}

/** How each rule is run: alone, or all from the first on. Vitest runs few at once, and those that wait are many. */
function runnerOf(harness: MemoryProviderHarness, { concurrent = false }: Spec, rules: readonly Rule[]) {
  let begun: Map<Rule, Promise<RuleOutcome>> | undefined;
  return (rule: Rule): Promise<RuleOutcome> => {
    if (concurrent) begun ??= new Map(rules.map((each) => [each, runRule(harness, each)]));
    const outcome = begun?.get(rule) ?? runRule(harness, rule);
    begun?.delete(rule); // Vitest may be told to try a failed test again.
    return outcome;
  };
}

function declare(harness: MemoryProviderHarness, spec: Spec): void {
  const { concurrent = false, subject } = spec;
  const reason = skipReason(harness, spec);
  const rules = rulesOf(spec);
  const run = runnerOf(harness, spec, rules);
  describe(subject, { concurrent }, () => {
    for (const rule of rules) {
      if (reason !== undefined) {
        it.skip(`${rule.title} (${reason})`);
        continue;
      }
      it(rule.title, { timeout: timeoutOf(harness) + MARGIN_MS }, async ({ skip }) => {
        const outcome = await run(rule);
        if (outcome.status === "failed") throw outcome.error;
        if (outcome.status === "skipped") skip(outcome.reason);
      });
    }
  });
}
