import type { UserMemoryBackend } from "../../backend.ts";
import type { UserMemoryStore } from "../../store.ts";

/** A store for tests: empty at first, and not shared with anything else. */
export interface StoreUnderTest {
  /** The store with default options, as an application gets it. */
  readonly memory: UserMemoryStore;
  /** The store's backend. Tests create stores with other options from it and tamper with the stored data. */
  readonly backend: UserMemoryBackend;
  /**
   * Opens another store on the same storage with its own connections, like another process. Absent if the storage is in one
   * process.
   */
  readonly another?: () => Promise<UserMemoryStore>;
  /**
   * Returns the whole contents of the storage as text: all tables, keys, indexes and queues. Tests search it for deleted
   * texts, and before the deletion for existing ones. If texts are stored encoded, include them decoded, too. If absent, tests
   * read everything through the backend, except leased jobs, which it doesn't show.
   */
  readonly dump?: () => Promise<string>;
  /** Deletes the storage and closes all connections, including those of `another`. */
  readonly close: () => Promise<void>;
}

/** Creates an empty store, e.g. with its own key prefix, schema or folder. Several can be in use at the same time. */
export type StoreFactory = () => Promise<StoreUnderTest>;
