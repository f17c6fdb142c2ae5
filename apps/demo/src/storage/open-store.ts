import { join } from "node:path";
import type { MemoryProvider } from "@jaf/memory";
import { MemorySetupError } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { openPglite, PgliteFolderError } from "@jaf/memory-postgres/pglite";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import type { UserMemoryStore } from "@jaf/user-memory";
import type { Notes } from "../assistant/notes.ts";
import { Failure } from "../cli/failure.ts";
import { createSqlNotes } from "./sql-notes.ts";

/** Everything the demo keeps, in one folder. */
export interface Store {
  readonly provider: MemoryProvider;
  /** What is known of the user in every conversation. */
  readonly userMemory: UserMemoryStore;
  readonly notes: Notes;
  /** Waits until what was said is remembered. */
  readonly close: () => Promise<void>;
}

/** Opens the folder, or makes it. Throws a {@link Failure} if another process has it, or it can't be used. */
export async function openStore(folder: string): Promise<Store> {
  try {
    const database = await openPglite(join(folder, "postgres"));
    try {
      const provider = await createPostgresProvider({ type: "postgres" }, database.client);
      const userMemory = await createPostgresUserMemory({}, database.client);
      const notes = await createSqlNotes(database.client);
      const close = async () => {
        await userMemory.close();
        await provider.close();
        await database.close();
      };
      return { provider, userMemory, notes, close };
    } catch (thrown) {
      await database.close();
      throw thrown;
    }
  } catch (thrown) {
    if (thrown instanceof PgliteFolderError || thrown instanceof MemorySetupError)
      throw new Failure(thrown.message);
    throw thrown;
  }
}
