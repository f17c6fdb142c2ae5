import { closeSync, openSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, openClient, type SqliteClient } from "./client/client.ts";
import { findDriver, type OpenHandle } from "./client/driver.ts";
import { FileFault, toSetupError } from "./errors.ts";
import { prepareSchema } from "./schema/schema.ts";
import { createWriteQueue } from "./write-queue.ts";

/** An open SQLite file, which the stores of this process share. */
export interface SqliteDatabase {
  /** The path of the file, as it was given. */
  readonly file: string;
  /** Closes the file once the writes that have begun are done. Later calls of its stores fail. */
  readonly close: () => Promise<void>;
}

/** The inner side of a {@link SqliteDatabase}. */
export interface OpenedDatabase extends SqliteDatabase {
  /** Runs `use` in a read transaction, which sees the file as it is at one moment. `use` may run again. */
  readonly read: <T>(use: (client: SqliteClient) => T) => Promise<T>;
  /**
   * Runs `use` in a write transaction, after the earlier calls of this process. If `use` throws, nothing of it is
   * written. Resolves once it is on the disk. `use` may run again.
   */
  readonly write: <T>(use: (client: SqliteClient) => T) => Promise<T>;
}

/** How long a call waits for the locks of other processes, in ms. */
const LOCK_TIMEOUT_MS = 15_000;

/** How long SQLite itself waits for a lock, in ms. It blocks the process meanwhile, so this is short. */
const BLOCKING_MS = 5;

const MAX_PAUSE_MS = 10;

// A commit is flushed to the disk before it is acknowledged (`synchronous`), so it survives a power cut. Erased texts
// are overwritten (`secure_delete`).
const SETTINGS = `
PRAGMA busy_timeout = ${BLOCKING_MS};
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
`;

/** Repeats `attempt` while another process holds a lock. */
async function whileBusy<T>(attempt: () => T): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > deadline) throw thrown;
    }
    await sleep(1 + Math.random() * MAX_PAUSE_MS);
  }
}

/** Runs `use` in a transaction that `begin` begins. */
function transact<T>(client: SqliteClient, begin: string, use: (client: SqliteClient) => T): T {
  client.exec(begin);
  try {
    const result = use(client);
    client.exec("COMMIT");
    return result;
  } catch (thrown) {
    try {
      client.exec("ROLLBACK");
    } catch {
      // After some errors, e.g. a full disk, SQLite has already rolled back.
    }
    throw thrown;
  }
}

// The file contains what users said, so only its owner may read it. An existing file must not be opened here: closing it
// would release the locks that another connection of this process holds.
function createFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
  }
}

function useWal(client: SqliteClient): void {
  const mode = client.first("PRAGMA journal_mode = WAL")?.["journal_mode"];
  if (mode !== "wal") {
    throw new FileFault("the file system has no shared memory for SQLite's WAL mode; use a local disk");
  }
}

async function openPrepared(file: string, openHandle: OpenHandle): Promise<SqliteClient> {
  createFile(file);
  const client = openClient(() => openHandle(file));
  try {
    client.exec(SETTINGS);
    await whileBusy(() => useWal(client));
    await whileBusy(() => transact(client, "BEGIN IMMEDIATE", prepareSchema));
    return client;
  } catch (thrown) {
    client.close();
    throw thrown;
  }
}

/** Like {@link openSqlite}, but with a driver that tests can replace. */
export async function openDatabase(
  file: string,
  operation: string,
  openHandle?: OpenHandle,
): Promise<OpenedDatabase> {
  try {
    const client = await openPrepared(file, openHandle ?? (await findDriver(operation)));
    return createDatabase(file, client);
  } catch (thrown) {
    throw toSetupError(operation, thrown);
  }
}

/** Moves all writes into the file itself, if no other process is using it, and closes it. */
function checkpointAndClose(client: SqliteClient): void {
  try {
    // SQLite does this when it closes a file, but not while a statement exists, which `@photostructure/sqlite` leaves to
    // the garbage collector.
    client.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The next checkpoint does it.
  }
  client.close();
}

function createDatabase(file: string, client: SqliteClient): OpenedDatabase {
  const { ino } = statSync(file);
  let closed: Promise<void> | undefined;

  /** Throws if the file was moved or deleted. SQLite would go on to write the file that has no name any more. */
  function checkFile(): void {
    if (statSync(file).ino !== ino) {
      throw new FileFault("the file was replaced by another one; close the database and open it again");
    }
  }

  const attempt = <T>(begin: string, use: (client: SqliteClient) => T) =>
    whileBusy(() => {
      checkFile();
      return transact(client, begin, use);
    });
  const writes = createWriteQueue((use) => attempt("BEGIN IMMEDIATE", use));

  return {
    file,
    read: (use) => attempt("BEGIN", use),
    write: writes.add,
    close: () => {
      closed ??= writes.drained().then(() => checkpointAndClose(client));
      return closed;
    },
  };
}
