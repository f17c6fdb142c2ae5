import { join } from "node:path";
import type { MemoryConfig } from "@jaf/core";
import { type LedgerStore, type MemoryProvider, MemorySetupError } from "@jaf/memory";
import { createPostgresLedger, createPostgresProvider } from "@jaf/memory-postgres";
import { openPglite, PgliteFolderError } from "@jaf/memory-postgres/pglite";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import type { UserMemoryStore } from "@jaf/user-memory";
import type { Notes } from "../assistant/agent.ts";
import { Failure } from "../exit.ts";
import {
  type ChosenStore,
  type ChosenTurnStores,
  chooseStore,
  chooseTurnStores,
  type Environment,
  openPostgresTurnStores,
  type TurnStores,
} from "./choose-store.ts";
import { createNotes } from "./notes.ts";

/**
 * The demo's folder has one process at a time. So a lease that exists at the start is a dead process's: it is waited for, with a
 * short time limit.
 */
export const afterCrash = { concurrency: "queue", leaseMs: 1_000 } satisfies Partial<MemoryConfig>;

/** The demo's storage: conversations in the store of `JAF_MEMORY_TYPE`, if set, and everything else in one folder. */
export interface Store {
  readonly provider: MemoryProvider;
  /** Tells the user where the conversations are stored, if not in the folder. */
  readonly notice?: string | undefined;
  /** The facts about users, shared by all conversations. */
  readonly userMemory: UserMemoryStore;
  readonly notes: Notes;
  /** Waits for running extractions, and closes the store. */
  readonly close: () => Promise<void>;
}

export interface OpenedStore extends Store {
  /** What the page's model calls used and cost. */
  readonly ledger: LedgerStore;
  /** Opens the server's turn log, inbox and timers. They close with the store. */
  readonly openTurnStores: () => Promise<TurnStores>;
}

/**
 * Opens or creates the folder, and opens the store of the environment. Throws a {@link Failure} if another process uses the
 * folder, or one of them can't be opened.
 */
export async function openStore(folder: string, environment: Environment = {}): Promise<OpenedStore> {
  try {
    const chosen = await chooseStore(environment);
    try {
      return await openFolder(folder, chosen, environment);
    } catch (thrown) {
      await chosen?.provider.close();
      throw thrown;
    }
  } catch (thrown) {
    if (thrown instanceof PgliteFolderError || thrown instanceof MemorySetupError)
      throw new Failure(thrown.message);
    throw thrown;
  }
}

async function openFolder(
  folder: string,
  chosen: ChosenStore | undefined,
  environment: Environment,
): Promise<OpenedStore> {
  const database = await openPglite(join(folder, "postgres"));
  try {
    const provider =
      chosen?.provider ?? (await createPostgresProvider({ type: "postgres" }, database.client));
    const userMemory = await createPostgresUserMemory({}, database.client);
    const notes = await createNotes(database.client);
    const ledger = await createPostgresLedger({}, database.client);
    let turns: ChosenTurnStores | undefined;
    const openTurnStores = async () => {
      turns = await chooseTurnStores(environment);
      return turns ?? openPostgresTurnStores({}, database.client);
    };
    const close = async () => {
      await turns?.close();
      await ledger.close();
      await userMemory.close();
      await provider.close();
      await database.close();
    };
    return { provider, notice: chosen?.notice, userMemory, notes, ledger, openTurnStores, close };
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}
