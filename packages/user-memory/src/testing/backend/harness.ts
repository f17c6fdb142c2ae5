import type { UserMemoryBackend } from "../../backend.ts";

/** The store that one test uses. It is empty at first and isn't shared with other tests. */
export interface BackendUnderTest {
  /** The backend that the test checks. */
  readonly backend: UserMemoryBackend;
  /**
   * Opens another backend on the same store with its own connections, as another process would. Leave `another` out if
   * the store exists in one process only.
   */
  readonly another?: () => Promise<UserMemoryBackend>;
  /** Deletes the store and closes all connections, including those that `another` opened. Called after the test. */
  readonly close: () => Promise<void>;
}

/**
 * Creates an empty store for a test, e.g. with its own key prefix, schema or folder. Several stores can be in use at a
 * time.
 */
export type BackendFactory = () => Promise<BackendUnderTest>;
