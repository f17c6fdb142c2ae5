import { afterAll, beforeAll, describe, it } from "vitest";
import type { MemoryProviderHarness } from "./harness.ts";
import { runCheck } from "./scenario.ts";
import type { Spec } from "./spec.ts";
import { specs } from "./specs/index.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Declares the conformance tests of the MemoryProvider contract. Call it at the top of a vitest file:
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
  const { setUp, tearDown, timeoutMs = DEFAULT_TIMEOUT_MS } = harness;
  describe(`MemoryProvider: ${harness.name}`, () => {
    if (setUp !== undefined) beforeAll(() => setUp(), timeoutMs);
    if (tearDown !== undefined) afterAll(() => tearDown(), timeoutMs);
    for (const spec of specs) describe(spec.subject, () => declareRules(harness, spec, timeoutMs));
  });
}

function declareRules(harness: MemoryProviderHarness, spec: Spec, timeout: number): void {
  const capability = (spec.requires && harness.capabilities?.[spec.requires]) ?? true;
  for (const [title, check] of Object.entries(spec.rules)) {
    if (capability !== true) it.skip(`${title} (unsupported: ${capability.unsupported})`);
    else it(title, { timeout, concurrent: spec.concurrent ?? false }, () => runCheck(harness, check));
  }
}
