import type { MemoryProvider } from "../provider.ts";

/** A store of one test: empty at first, and seen by no other test. */
export interface TestStore {
  readonly provider: MemoryProvider;
  /**
   * One more provider on the same storage, as independent of `provider` as if another process had made it: with a
   * connection, a pool and caches of its own. Absent for a store that lives in one process.
   */
  readonly connect?: () => Promise<MemoryProvider>;
  /** Removes the storage. Called when the test is over, whether or not it closed the provider. */
  readonly dispose: () => Promise<void>;
}

/** `true`, or why the backend can't: the reason shows in the title of each test that is skipped for it. */
export type Capability = true | { readonly unsupported: string };

/** What some backends can't do at all. Everything else in the contract holds for every backend. */
export interface MemoryCapabilities {
  /** Conversations expire (`WriteOptions.ttlSeconds`). */
  readonly ttl: Capability;
  /** Several providers work on the same storage at the same time. */
  readonly multipleConnections: Capability;
}

/** What an adapter's test hands to `describeMemoryProvider`. */
export interface MemoryProviderHarness {
  /** Shown in the test titles, e.g. `"postgres"`. */
  readonly name: string;
  /** Runs once before all tests, e.g. to start a server. */
  readonly setUp?: () => Promise<void>;
  /** Runs once after all tests, also when `setUp` failed. */
  readonly tearDown?: () => Promise<void>;
  /** A fresh, empty namespace (a key prefix, a schema, a folder). Several may be in use at once. */
  readonly createStore: () => Promise<TestStore>;
  /** Absent or left out: supported. */
  readonly capabilities?: Partial<MemoryCapabilities>;
  /** Milliseconds that one test may take. Default 30,000, which a slow server on a busy machine needs. */
  readonly timeoutMs?: number;
}
