import { describe, it } from "vitest";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { reportCalls } from "../kit/calls.ts";
import { dueRules, erasureRules, holdRules } from "./erasure-rules.ts";
import { isolationRules, refusalRules, valueRules } from "./rules.ts";

/** A blob store for one test: empty at first, and used by no other test. */
export interface TestBlobStore {
  readonly store: BlobStore;
  /**
   * Connects another store to the same storage, as independent as in another process. Absent if the storage exists in
   * one process only.
   */
  readonly connect?: () => Promise<BlobStore>;
  /** Removes the storage. Called after the test, whether or not it closed the store. */
  readonly dispose: () => Promise<void>;
}

/** The harness of `describeBlobStoreConformance`. */
export interface BlobStoreHarness {
  /** The name in test titles, e.g. `"s3"`. */
  readonly name: string;
  /** Creates a store in a fresh, empty namespace. Several may be in use at the same time. */
  readonly createStore: () => Promise<TestBlobStore>;
  /** The size of the largest tested blob. Default 20,000,000. */
  readonly largestBytes?: number;
  /** The timeout of one test, in milliseconds. Default 30,000. */
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
 * @example
 * ```ts
 * import type { BlobStore } from "@jaf/memory";
 * import { describeBlobStoreConformance } from "@jaf/memory/testing";
 *
 * declare function createMyBlobStore(options: { prefix: string }): BlobStore;
 *
 * describeBlobStoreConformance({
 *   name: "my blob store",
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
