import { describe, it } from "vitest";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { reportCalls } from "../kit/calls.ts";
import { dueRules, erasureRules, holdRules } from "./erasure-rules.ts";
import { isolationRules, refusalRules, valueRules } from "./rules.ts";

/** A blob store of one test: empty at first, and seen by no other test. */
export interface TestBlobStore {
  readonly store: BlobStore;
  /** One more store on the same storage, as independent as another process. Absent for one that lives in one process. */
  readonly connect?: () => Promise<BlobStore>;
  /** Removes the storage. Called when the test is over, whether or not it closed the store. */
  readonly dispose: () => Promise<void>;
}

/** What an adapter's test hands to `describeBlobStoreConformance`. */
export interface BlobStoreHarness {
  /** Shown in the test titles, e.g. `"s3"`. */
  readonly name: string;
  /** A fresh, empty namespace. Several may be in use at once. */
  readonly createStore: () => Promise<TestBlobStore>;
  /** Bytes of the largest blob that is tried. Default 20,000,000. */
  readonly largestBytes?: number;
  /** Milliseconds that one test may take. Default 30,000. */
  readonly timeoutMs?: number;
}

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
