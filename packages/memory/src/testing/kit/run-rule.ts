import { unwrittenPart } from "../../backend/not-written.ts";
import { withDeadline } from "../../runtime/abort.ts";
import { createCallRecord } from "./calls.ts";
import type { MemoryCapabilities, MemoryProviderHarness, TestStore } from "./harness.ts";
import { RuleBroken } from "./rule-broken.ts";
import { openScenario, timeoutOf } from "./scenario.ts";
import type { Rule, SpecDetails } from "./spec.ts";

export type RuleOutcome =
  | { readonly status: "passed" }
  | { readonly status: "skipped"; readonly reason: string }
  | { readonly status: "failed"; readonly error: RuleBroken };

/** Returns why the rules of a spec are skipped (e.g. the backend lacks an ability), or `undefined` if they aren't. */
export function skipReason(harness: MemoryProviderHarness, spec: SpecDetails): string | undefined {
  // Even then, `runRule` skips a rule if the store lacks a method that the rule needs.
  if (harness.levels !== undefined && !harness.levels.includes(spec.level)) {
    return `the harness leaves out the level ${spec.level}`;
  }
  for (const name of spec.requires ?? []) {
    const capability = harness.capabilities?.[name] ?? true;
    if (capability !== true) return `unsupported: ${capability.unsupported}`;
  }
  return undefined;
}

/** The method of `TestStore` that the tests of a capability call. `undefined`: they call no such method. */
const means: Readonly<Record<keyof MemoryCapabilities, keyof TestStore | undefined>> = {
  ttl: undefined,
  multipleConnections: "connect",
  durability: "crash",
  digests: undefined,
};

function missingMeans(store: TestStore, { requires = [], needs = [] }: Rule): string | undefined {
  const wanted = [...requires.map((name) => means[name]), ...needs];
  const missing = wanted.find((name) => name !== undefined && store[name] === undefined);
  if (missing === undefined) return undefined;
  return missing === "process"
    ? "the harness offers no `process`, so nothing tests two processes at once"
    : `the harness offers no ${missing}()`;
}

/**
 * Checks a rule on a new store. Removes the store afterwards, even if the rule is broken. A rule that needs a function
 * of the backend that isn't written yet has failed, whatever the rule made of the error.
 */
export async function runRule(harness: MemoryProviderHarness, rule: Rule): Promise<RuleOutcome> {
  const reason = skipReason(harness, rule);
  if (reason !== undefined) return { status: "skipped", reason };
  const timeoutMs = timeoutOf(harness);
  const calls = rule.reportsCalls === true ? undefined : createCallRecord();
  const timeoutError = () => new Error(`the rule wasn't checked within ${timeoutMs} ms`);
  const unwritten: string[] = [];
  const failed = (thrown: unknown, what = unwrittenPart(thrown)): RuleOutcome => ({
    status: "failed",
    error: new RuleBroken(rule, thrown, { calls: calls?.lines(), unwritten: what }),
  });
  try {
    const { scenario, store, cleanUp } = await openScenario(harness, {
      inTwoProcesses: rule.needs?.includes("process") ?? false,
      calls,
      onUnwritten: (what) => unwritten.push(what),
    });
    const missing = missingMeans(store, rule);
    try {
      if (missing === undefined) await withDeadline(rule.check(scenario), { timeoutMs, timeoutError });
    } catch (broken) {
      const outcome = failed(broken, unwritten[0]);
      // A store that breaks a rule may also fail to clean up. Only the first failure is reported.
      await cleanUp().catch(() => {});
      return outcome;
    }
    await cleanUp();
    const [what] = unwritten;
    if (what !== undefined) return failed(new Error("the rule needs an unwritten function"), what);
    return missing === undefined ? { status: "passed" } : { status: "skipped", reason: missing };
  } catch (broken) {
    return failed(broken);
  }
}
