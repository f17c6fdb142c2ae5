import type { UserMemoryBackend } from "../../backend.ts";
import type { UserMemoryStore } from "../../store.ts";

/** A store of the tests: empty at first, and seen by nobody else. */
export interface StoreUnderTest {
  /** As an application gets it, with no options but those that say where it is. */
  readonly memory: UserMemoryStore;
  /** The storage port beneath it. Tests make stores with other options of it, and tamper with what is stored. */
  readonly backend: UserMemoryBackend;
  /**
   * One more store on the same storage, as independent of `memory` as if another process had made it, with connections of
   * its own. Absent where the storage lives in one process.
   */
  readonly another?: () => Promise<UserMemoryStore>;
  /**
   * Everything that the storage holds, as text: every table, key, index and queue, keys and column values alike. It is
   * searched for what should be gone, and before for what should be there: where texts are stored encoded, show them decoded,
   * too. Absent where there is nothing to look into; then the port is asked for everything
   * but jobs that are handed out, which it doesn't show.
   */
  readonly dump?: () => Promise<string>;
  /** Removes the storage and closes every connection, also those of `another`. */
  readonly close: () => Promise<void>;
}

/** A fresh, empty store (a key prefix, a schema, a folder). Several may be in use at once. */
export type StoreFactory = () => Promise<StoreUnderTest>;
