import type { UserMemoryBackend } from "../../backend.ts";
import type { UserMemoryStore } from "../../store.ts";

/** A store for tests. It is empty at first and isn't shared with anything else. */
export interface StoreUnderTest {
  /** The store with default options, as an application gets it. */
  readonly memory: UserMemoryStore;
  /** The backend of the store. Tests use it to create stores with other options and to tamper with the stored data. */
  readonly backend: UserMemoryBackend;
  /**
   * Opens another store on the same storage with its own connections, as another process would. Leave `another` out if
   * the storage exists in one process only.
   */
  readonly another?: () => Promise<UserMemoryStore>;
  /**
   * Returns everything in the storage as text: all tables, keys, indexes and queues. If texts are stored encoded,
   * include the decoded texts. Tests search the result for deleted texts. By default, the tests read facts, audit
   * trails and jobs through the backend, which doesn't return leased jobs.
   */
  readonly dump?: () => Promise<string>;
  /** Deletes the storage and closes all connections, including those that `another` opened. */
  readonly close: () => Promise<void>;
}

/**
 * Creates an empty store for tests, e.g. with its own key prefix, schema or folder. Several stores can be in use at a
 * time.
 */
export type StoreFactory = () => Promise<StoreUnderTest>;
