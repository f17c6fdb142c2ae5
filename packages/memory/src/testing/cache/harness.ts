import type { CacheAdapter } from "../../cache-adapter.ts";

/** A cache of one test: empty at first, and seen by no other test. */
export interface TestCache {
  readonly cache: CacheAdapter;
  /** One more on the same storage, as independent as another process. Absent for one that lives in one process. */
  readonly connect?: () => Promise<CacheAdapter>;
  /** Removes the storage. Called when the test is over. */
  readonly dispose: () => Promise<void>;
}

/** What an adapter's test hands to `describeCacheAdapterConformance`. */
export interface CacheAdapterHarness {
  /** Shown in the test titles, e.g. `"redis"`. */
  readonly name: string;
  /** A fresh, empty namespace. Several may be in use at once. */
  readonly createCache: () => Promise<TestCache>;
  /** Of each test, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}
