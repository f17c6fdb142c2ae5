import { describe, it } from "vitest";
import { reportCalls } from "../calls.ts";
import { dueRules, erasureRules, holdRules } from "./erasure-rules.ts";
import type { BlobStoreHarness } from "./harness.ts";
import { isolationRules, refusalRules, valueRules } from "./rules.ts";

const SUBJECTS = {
  values: valueRules,
  isolation: isolationRules,
  erasure: erasureRules,
  holds: holdRules,
  due: dueRules,
  refusals: refusalRules,
};

/**
 * Declares the conformance tests of a `BlobStore`. Call it at the top of a vitest file.
 *
 * ```ts
 * describeBlobStoreConformance({
 *   name: "my store",
 *   createStore: async () => {
 *     const store = createMyBlobStore({ prefix: crypto.randomUUID() });
 *     return { store, dispose: async () => void (await store.close()) };
 *   },
 * });
 * ```
 */
export function describeBlobStoreConformance(harness: BlobStoreHarness): void {
  const { name, createStore, largestBytes = 20_000_000, timeoutMs = 30_000 } = harness;
  describe(`BlobStore: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules)) {
          it(title, { timeout: timeoutMs }, async () => {
            const { store, connect, dispose } = await createStore();
            try {
              const other = (await connect?.()) ?? store;
              await reportCalls((recorded) =>
                check({ store: recorded(store), other: recorded(other, "other."), largestBytes }),
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
