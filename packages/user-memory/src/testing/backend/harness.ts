import type { UserMemoryBackend } from "../../backend.ts";

/** A store of one test: empty at first, and seen by no other test. */
export interface BackendUnderTest {
  readonly backend: UserMemoryBackend;
  /**
   * One more backend on the same store, as independent of `backend` as if another process had made it, with connections of
   * its own. Absent where the store lives in one process.
   */
  readonly another?: () => Promise<UserMemoryBackend>;
  /** Removes the store and closes every connection, also those of `another`. Called when the test is over. */
  readonly close: () => Promise<void>;
}

/** A fresh, empty store (a key prefix, a schema, a folder). Several may be in use at once. */
export type BackendFactory = () => Promise<BackendUnderTest>;
