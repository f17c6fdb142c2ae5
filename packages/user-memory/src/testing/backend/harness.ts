import type { UserMemoryBackend } from "../../backend/backend.ts";

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

export interface BackendTestOptions {
  /**
   * `"smoke"`: some twenty rules that try each method and option once. For another client or connection mode of a backend that
   * the whole kit is run on; by itself it proves no conformance, and the titles say so. `seeds` has no effect on it.
   * Default: `"all"`.
   */
  readonly rules?: "all" | "smoke";
  /** Seeds of the random tests; each is a test of its own. Default 1 and 2. */
  readonly seeds?: readonly number[];
  /** Random operations per seed. Default 400. */
  readonly operations?: number;
  /** Milliseconds that one test may take. Default 30,000. */
  readonly timeoutMs?: number;
}
