import { describe, it } from "vitest";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { reportCalls } from "../kit/calls.ts";
import { dueRules, erasureRules, holdRules } from "./erasure-rules.ts";
import { isolationRules, refusalRules, valueRules } from "./rules.ts";

/** A blob store for one test. It is empty at first, and no other test uses it. */
export interface TestBlobStore {
  readonly store: BlobStore;
  /**
   * Connects another store to the same storage. It must share nothing with `store` in this process (e.g. no
   * connection). Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<BlobStore>;
  /** Removes the storage. Called after the test, even if the test has closed the store. */
  readonly dispose: () => Promise<void>;
}

/** What `describeBlobStoreConformance` needs to test a blob store. */
export interface BlobStoreHarness {
  /** The store's name in the titles of the tests (e.g. `"s3"`). */
  readonly name: string;
  /** Creates a store in a new, empty namespace. Several stores may be in use at the same time. */
  readonly createStore: () => Promise<TestBlobStore>;
  /** The size of the largest blob in the tests, in bytes. Default 20,000,000. */
  readonly largestBytes?: number;
  /** The maximum duration of one test, in milliseconds. Default 30,000. */
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
 * Declares the tests that check whether a `BlobStore` follows its rules. Call this function at the top level of a
 * vitest file.
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
