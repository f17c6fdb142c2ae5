import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, PgliteFolderError } from "./folder-error.ts";
import { isLockFile } from "./folder-lock.ts";

/** The name of a file that exists while a new database is being created. */
const MARKER = "jaf-initializing";

const POSTGRES_FILE = /^(base|global|pg_.+|PG_VERSION|postgresql.*\.conf|postmaster\..+)$/;

/** Files that exist in every database. */
// If one of them is missing, PGlite aborts, or replaces the remains with a new database.
const ESSENTIAL = ["PG_VERSION", "global/pg_control", "pg_wal", "pg_xact", "base"];

const isEmptyFile = (path: string): boolean => {
  const stat = statSync(path);
  return stat.isFile() && stat.size === 0;
};

function checkEssentials(folder: string): void {
  const missing = ESSENTIAL.find((name) => {
    const path = join(folder, name);
    return !existsSync(path) || isEmptyFile(path);
  });
  if (missing === undefined) return;
  const remedy = `${missing} is missing or empty. Restore the folder from a backup, or move it away to start again.`;
  throw new PgliteFolderError("damaged", folder, remedy);
}

const entriesOf = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !isLockFile(name) && name !== MARKER);

/**
 * Returns whether a folder contains a database, a database whose creation was interrupted, or nothing. Throws a
 * {@link PgliteFolderError} if the database is damaged or the folder has other files.
 */
export function inspectFolder(folder: string): "database" | "interrupted" | "empty" {
  // Checked before PGlite opens the folder, because PGlite takes any folder without a `PG_VERSION` for an empty one.
  if (existsSync(join(folder, MARKER))) return "interrupted";
  const entries = entriesOf(folder);
  if (entries.some((name) => POSTGRES_FILE.test(name))) {
    checkEssentials(folder);
    return "database";
  }
  if (entries.length === 0) return "empty";
  const remedy = "it holds other files. Choose an empty folder, or one that does not exist yet.";
  throw new PgliteFolderError("not-a-database", folder, remedy);
}

/**
 * Prepares a locked folder for a new database. Call the returned function when the database is complete. If the folder
 * already has a database, both functions do nothing.
 */
export function prepareFolder(folder: string): () => void {
  const state = inspectFolder(folder);
  if (state === "database") return () => {};
  const marker = join(folder, MARKER);
  // If the creation was interrupted, a process was killed while it created this database, in a folder that was empty
  // before.
  const remains = state === "interrupted" ? entriesOf(folder).filter((name) => POSTGRES_FILE.test(name)) : [];
  for (const name of remains) rmSync(join(folder, name), { recursive: true });
  writeFileSync(marker, "");
  return () => rmSync(marker);
}

/** Creates a folder and the missing folders around it. */
export function createFolder(folder: string): void {
  // Node's recursive `mkdir` never returns if a folder can't be created, e.g. in `/proc`.
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    if (errorCode(thrown) !== "EEXIST") throw thrown; // Another process was faster.
  }
}

/** Removes the process file (`postmaster.pid`) that PGlite leaves behind if it fails to start. */
export function removeProcessFile(folder: string): void {
  rmSync(join(folder, "postmaster.pid"), { force: true });
}
