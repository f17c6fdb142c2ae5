import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, PgliteFolderError } from "./folder-error.ts";
import { isLockFile } from "./folder-lock.ts";

/** Exists while a new database is being created. As long as it exists, no data was stored. */
const MARKER = "jaf-initializing";

const POSTGRES_FILE = /^(base|global|pg_.+|PG_VERSION|postgresql.*\.conf|postmaster\..+)$/;

/** Exist in every database. Without them, PGlite would abort, or replace the remains with a new database. */
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
 * Inspects a folder before PGlite does, which takes any folder without a `PG_VERSION` for an empty one. Changes
 * nothing. Throws a {@link PgliteFolderError}.
 */
export function inspectFolder(folder: string): "database" | "interrupted" | "empty" {
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
 * Prepares a folder without a database for a new one. Call it while you hold the lock, and call the returned function
 * when the database is complete.
 */
export function prepareFolder(folder: string): () => void {
  const state = inspectFolder(folder);
  if (state === "database") return () => {};
  const marker = join(folder, MARKER);
  // A process was killed while it created this database, in a folder that was empty before.
  const remains = state === "interrupted" ? entriesOf(folder).filter((name) => POSTGRES_FILE.test(name)) : [];
  for (const name of remains) rmSync(join(folder, name), { recursive: true });
  writeFileSync(marker, "");
  return () => rmSync(marker);
}

/**
 * Creates one folder at a time: if a folder can't be created, e.g. in `/proc`, Node's recursive `mkdir` never returns.
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    if (errorCode(thrown) !== "EEXIST") throw thrown; // Another process was faster.
  }
}

/** Removes the file that PGlite leaves if it fails to start. */
export function removeProcessFile(folder: string): void {
  rmSync(join(folder, "postmaster.pid"), { force: true });
}
