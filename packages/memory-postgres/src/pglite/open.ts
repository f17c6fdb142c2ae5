import { resolve } from "node:path";
import type { PGlite, PGliteOptions } from "@electric-sql/pglite";
import { createFolder, inspectFolder, prepareFolder, removeProcessFile } from "./data-folder.ts";
import { diskFull, PgliteFolderError, toFolderError } from "./folder-error.ts";
import { lockFolder } from "./folder-lock.ts";

/** Options of PGlite itself, e.g. extensions. */
export type PgliteOptions = Omit<PGliteOptions, "dataDir" | "fs">;

/** A database in a folder that no other process opens meanwhile. */
export interface PgliteDatabase {
  /** For `createPostgresProvider`, and for SQL of one's own. */
  readonly client: PGlite;
  /** Closes the client and frees the folder. Closing twice does nothing. */
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
    `its files are damaged, or were made by another version of PGlite${detail}. Restore the folder from a backup, ` +
    "open it with the version that made it, or move it away to starts again.";
  return new PgliteFolderError("damaged", folder, remedy);
}

async function start(folder: string, options: PgliteOptions, guard: CrashGuard): Promise<PGlite> {
  const { PGlite } = await importPglite(folder);
  let fatalMessage: string | undefined;
  // Where it can't start, PGlite throws no more than "aborted"; Postgres has said why before.
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
 * Opens the database in a folder, or makes one: Postgres without a server. PGlite itself would let two processes
 * open one folder, which destroys it, and would make a new database over a damaged one.
 *
 * Rejects with a {@link PgliteFolderError}. What was written stays, also when the process is killed or the disk is
 * full.
 */
export async function openPglite(folder: string, options: PgliteOptions = {}): Promise<PgliteDatabase> {
  const path = resolve(folder);
  try {
    createFolder(path);
    inspectFolder(path); // Before the lock, so that a folder of something else gets no lock file.
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

/** What `errors.ts` knows it by, which can't import it: the two are separate entries. */
class PgliteCrashed extends Error {
  override readonly name = "PgliteCrashed";
  constructor() {
    super("PGlite has crashed");
  }
}

const CRASH = /PANIC: |^Aborted\(/;

interface CrashGuard {
  /** Takes each line that Postgres writes to its log. */
  readonly onOutput: (line: string) => void;
  readonly crashed: () => boolean;
  readonly protect: (client: PGlite) => void;
}

/**
 * Postgres ends its process when it can't write its log, as on a full disk. PGlite has no process to end: the next
 * query would run on in what is left, for ever, and block the whole application. The guard lets none through.
 */
function createCrashGuard(): CrashGuard {
  let crashed = false;
  return {
    onOutput: (line) => {
      crashed ||= CRASH.test(line);
    },
    crashed: () => crashed,
    protect: (client) => {
      // The one entry point to Postgres' code, for queries, scripts and transactions alike.
      const enter = client.execProtocolRawSync.bind(client);
      client.execProtocolRawSync = (message) => {
        if (crashed) throw new PgliteCrashed();
        return enter(message);
      };
    },
  };
}
