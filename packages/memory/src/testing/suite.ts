import { afterAll, beforeAll, describe, it } from "vitest";
import type { MemoryProviderHarness } from "./harness.ts";
import { levels } from "./level.ts";
import { type RuleOutcome, runRule, skipReason } from "./run-rule.ts";
import { timeoutOf } from "./scenario.ts";
import { endProcesses } from "./second-process.ts";
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
  const { setUp, tearDown, rules = "all" } = harness;
  const specs = specsFor(harness);
  const run = runnerOf(harness, specs);
  const extent = rules === "smoke" ? " (a smoke, which proves no conformance)" : "";
  describe(`MemoryProvider: ${harness.name}${extent}`, () => {
    if (setUp !== undefined) beforeAll(() => setUp(), timeoutOf(harness));
    afterAll(async () => {
      endProcesses(harness);
      await tearDown?.();
    }, timeoutOf(harness));
    for (const level of levels) {
      describe(level, () => {
        for (const spec of specs.filter((candidate) => candidate.level === level))
          declare(harness, spec, run);
      });
    }
  });
}

type Runner = (rule: Rule) => Promise<RuleOutcome>;

/**
 * How each rule is run: alone, or, where it mostly waits, with all others that do, from the first of them on. Vitest
 * runs few at once, and those that wait are many.
 */
function runnerOf(harness: MemoryProviderHarness, specs: readonly Spec[]): Runner {
  const waiting = specs.filter((spec) => spec.concurrent === true).flatMap(rulesOf);
  let begun: Map<string, Promise<RuleOutcome>> | undefined;
  const nameOf = ({ subject, title }: Rule) => `${subject}: ${title}`;
  return (rule) => {
    if (rule.concurrent === true)
      begun ??= new Map(waiting.map((each) => [nameOf(each), runRule(harness, each)]));
    const outcome = begun?.get(nameOf(rule)) ?? runRule(harness, rule);
    begun?.delete(nameOf(rule)); // Vitest may be told to try a failed test again.
    return outcome;
  };
}

function declare(harness: MemoryProviderHarness, spec: Spec, run: Runner): void {
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
        if (outcome.status === "skipped") skip(outcome.reason);
      });
    }
  });
}
