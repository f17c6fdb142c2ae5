import { resolve } from "node:path";
import type { PGlite, PGliteOptions } from "@electric-sql/pglite";
import { createFolder, inspectFolder, prepareFolder, removeProcessFile } from "./data-folder.ts";
import { diskFull, PgliteFolderError, toFolderError } from "./folder-error.ts";
import { lockFolder } from "./folder-lock.ts";

/** PGlite's own options, e.g. `extensions`. The options that name the folder are left out. */
export interface PgliteOptions extends Omit<PGliteOptions, "dataDir" | "fs"> {}

/** An open database in a folder. While it is open, no other process can open the folder. */
export interface PgliteDatabase {
  /** The client to pass to `createPostgresProvider`. You can use it for your own SQL. */
  readonly client: PGlite;
  /** Closes the client, and frees the folder for other processes. Further calls do nothing. */
  readonly close: () => Promise<void>;
}

async function importPglite(folder: string) {
  try {
    return await import("@electric-sql/pglite");
  } catch {
    const remedy = "the package `@electric-sql/pglite` is not installed. Install it.";
    throw new PgliteFolderError("not-installed", folder, remedy);
  }
}

const FATAL = /(?:FATAL|PANIC): +(.+)/;

function toStartError(folder: string, thrown: unknown, fatalMessage: string | undefined): unknown {
  if (/no space left on device|disk quota exceeded/i.test(fatalMessage ?? "")) return diskFull(folder);
  const known = toFolderError(folder, thrown);
  if (known instanceof PgliteFolderError) return known;
  const detail = fatalMessage === undefined ? "" : ` (${fatalMessage})`;
  const remedy =
    `its files are damaged, or from another version of PGlite${detail}. Restore the folder from a backup, ` +
    "open it with the version that created it, or move it away to start again.";
  return new PgliteFolderError("damaged", folder, remedy);
}

async function start(folder: string, options: PgliteOptions, guard: CrashGuard): Promise<PGlite> {
  const { PGlite } = await importPglite(folder);
  let fatalMessage: string | undefined;
  // If PGlite can't start, it throws only "aborted". Before that, Postgres logs the reason.
  const onStderr = (text: string) => {
    fatalMessage ??= FATAL.exec(text)?.[1];
    guard.onOutput(text);
    return options.onStderr?.(text) ?? false;
  };
  try {
    const client = await PGlite.create({ ...options, dataDir: folder, onStderr });
    guard.protect(client);
    return client;
  } catch (thrown) {
    removeProcessFile(folder);
    throw toStartError(folder, thrown, fatalMessage);
  }
}

/**
 * Opens a PGlite database (Postgres without a server) in a folder. If the folder has no database, creates one. This
 * function prevents two mistakes that PGlite alone doesn't: that two processes open the same folder, which destroys the
 * database, and that a damaged database is replaced with a new one.
 *
 * Rejects with a {@link PgliteFolderError} if the folder can't be opened. Stored data survives if the process is killed
 * or the disk gets full.
 *
 * @example
 * ```ts
 * import { createPostgresProvider } from "@jaf/memory-postgres";
 * import { openPglite } from "@jaf/memory-postgres/pglite";
 *
 * const database = await openPglite("./data");
 * const provider = await createPostgresProvider({}, database.client);
 * await provider.storeMessages("conv-123", [{ role: "user", content: "Hello" }]);
 * await provider.close();
 * await database.close();
 * ```
 */
export async function openPglite(folder: string, options: PgliteOptions = {}): Promise<PgliteDatabase> {
  const path = resolve(folder);
  try {
    createFolder(path);
    inspectFolder(path); // Checked before the lock, so a folder with other files gets no lock file.
    const lock = lockFolder(path);
    try {
      const complete = prepareFolder(path);
      const guard = createCrashGuard();
      const client = await start(path, options, guard);
      complete();
      const closeClient = async () => {
        if (!client.closed && !guard.crashed()) await client.close();
      };
      return { client, close: closeOnce(path, closeClient, lock.release) };
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  } catch (thrown) {
    throw toFolderError(path, thrown);
  }
}

function closeOnce(
  folder: string,
  closeClient: () => Promise<void>,
  release: () => void,
): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const close = async () => {
    try {
      await closeClient();
    } catch (thrown) {
      throw toFolderError(folder, thrown);
    } finally {
      release();
    }
  };
  return () => {
    closing ??= close();
    return closing;
  };
}

/** PGlite has crashed and can't be used anymore. */
// `errors.ts` recognizes this error by its message: it can't import this class, because the two files belong to
// separate entries of the package.
class PgliteCrashed extends Error {
  override readonly name = "PgliteCrashed";
  constructor() {
    super("PGlite has crashed");
  }
}

const CRASH = /PANIC: |^Aborted\(/;

interface CrashGuard {
  /** Looks for a crash in a line of Postgres's log. */
  readonly onOutput: (line: string) => void;
  readonly crashed: () => boolean;
  readonly protect: (client: PGlite) => void;
}

/** Creates a guard that refuses further queries after PGlite has crashed. */
function createCrashGuard(): CrashGuard {
  // A Postgres server ends its process if it can't write its log, e.g. on a full disk. PGlite runs inside the
  // application's process, and so it continues in a broken state. Without the guard, the next query would run forever
  // and block the application.
  let crashed = false;
  return {
    onOutput: (line) => {
      crashed ||= CRASH.test(line);
    },
    crashed: () => crashed,
    protect: (client) => {
      // The single entry point to Postgres's code, for queries, scripts and transactions.
      const enter = client.execProtocolRawSync.bind(client);
      client.execProtocolRawSync = (message) => {
        if (crashed) throw new PgliteCrashed();
        return enter(message);
      };
    },
  };
}
