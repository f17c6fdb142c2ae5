import { checkRelease } from "@jaf/memory/internal";
import { parseConfig, type SqliteConfig } from "./config.ts";
import { type OpenedDatabase, openDatabase, type SqliteDatabase } from "./database.ts";

/**
 * Opens a SQLite file for several stores of this process, which then share one connection. Creates the file and its
 * tables if they are missing. Other processes may have the file open at the same time. Closing a store doesn't close
 * the database.
 *
 * Rejects with a `MemorySetupError` if the file can't be opened, isn't ours, or was written by a newer version.
 *
 * @example
 * ```ts
 * import { createSqliteProvider, openSqlite } from "@jaf/memory-sqlite";
 * import { createSqliteUserMemory } from "@jaf/memory-sqlite/user-memory";
 *
 * const database = await openSqlite("memory.db");
 * const provider = await createSqliteProvider({}, database);
 * const facts = await createSqliteUserMemory({}, database);
 * await facts.remember("user-456", "Is allergic to peanuts");
 * await database.close();
 * ```
 */
export const openSqlite = async (file: string): Promise<SqliteDatabase> => {
  checkRelease(globalThis.JAF_RELEASE);
  return openDatabase(fileOf({ file }, "openSqlite"), "openSqlite");
};

interface Store {
  readonly database: OpenedDatabase;
  /** Closes the database if the store opened it. A database that was passed in stays open. */
  readonly close: () => Promise<void>;
}

/** Returns the database that was passed in, or opens `config.file`. `operation` is the exported function's name. */
export async function openStore(
  config: SqliteConfig,
  given: SqliteDatabase | undefined,
  operation: string,
): Promise<Store> {
  checkRelease(globalThis.JAF_RELEASE);
  if (given === undefined) {
    const database = await openDatabase(fileOf(config, operation), operation);
    return { database, close: database.close };
  }
  parseConfig(config);
  if (!isOpened(given))
    throw new TypeError(`${operation}: expected the result of openSqlite() as the database`);
  return { database: given, close: async () => {} };
}

// Not by the identity of a class: two builds of this package may be loaded.
const isOpened = (database: SqliteDatabase): database is OpenedDatabase =>
  typeof database === "object" && database !== null && "write" in database;

function fileOf(config: SqliteConfig, operation: string): string {
  const { file } = parseConfig(config);
  if (file === undefined) throw new TypeError(`${operation}: expected the path of a file in \`file\``);
  return file;
}
