import type { UserMemoryBackend } from "../../backend.ts";

/** The store of one test: empty at first, and not shared with other tests. */
export interface BackendUnderTest {
  /** The backend of the test. */
  readonly backend: UserMemoryBackend;
  /**
   * Opens another backend on the same store with its own connections, like another process. Absent if the store is in one
   * process.
   */
  readonly another?: () => Promise<UserMemoryBackend>;
  /** Deletes the store and closes all connections, including those of `another`. Called after the test. */
  readonly close: () => Promise<void>;
}

/** Creates an empty store, e.g. with its own key prefix, schema or folder. Several can be in use at the same time. */
export type BackendFactory = () => Promise<BackendUnderTest>;
