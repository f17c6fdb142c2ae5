import { describe, it } from "vitest";
import { reportCalls } from "../calls.ts";
import type { CacheAdapterHarness } from "./harness.ts";
import { claimRules, lifetimeRules, valueRules } from "./rules.ts";

const SUBJECTS = { values: valueRules, lifetimes: lifetimeRules, claims: claimRules };

/**
 * Declares the conformance tests of a `CacheAdapter`. Call it at the top of a vitest file.
 *
 * ```ts
 * describeCacheAdapterConformance({
 *   name: "my cache",
 *   createCache: async () => {
 *     const cache = createMyCacheAdapter({ prefix: crypto.randomUUID() });
 *     return { cache, dispose: async () => {} };
 *   },
 * });
 * ```
 */
export function describeCacheAdapterConformance(harness: CacheAdapterHarness): void {
  const { name, createCache, timeoutMs = 30_000 } = harness;
  describe(`CacheAdapter: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules)) {
          it(title, { timeout: timeoutMs, concurrent: true }, async () => {
            const { cache, connect, dispose } = await createCache();
            try {
              const other = (await connect?.()) ?? cache;
              await reportCalls((recorded) =>
                check({ cache: recorded(cache), other: recorded(other, "other.") }),
              );
            } finally {
              await dispose();
            }
          });
        }
      });
    }
  });
}
