import { parseOptions } from "@jaf/memory/adapter";
import type { UserMemoryOptions, UserMemoryStore } from "@jaf/user-memory";
import {
  bindOptions,
  defineUserMemory,
  type UserMemoryBackend,
  userMemoryOptionsSchema,
} from "@jaf/user-memory/adapter";
import * as z from "zod";
import { configShape, type SqliteConfig } from "../config.ts";
import type { OpenedDatabase, SqliteDatabase } from "../database.ts";
import { toMemoryError } from "../errors.ts";
import { openStore } from "../open-store.ts";
import { createJobs } from "./jobs.ts";
import { createReads } from "./reads.ts";
import { createSearches } from "./searches.ts";
import { createWrites } from "./writes.ts";

const configSchema = z.strictObject({ ...configShape, ...userMemoryOptionsSchema.shape });

/** The options of {@link createSqliteUserMemory}: the file, and those that every user memory store has. */
export interface SqliteUserMemoryConfig extends SqliteConfig, UserMemoryOptions {}

/** Splits the configuration. Throws a `TypeError` if a field is invalid. */
function parseConfig(config: SqliteUserMemoryConfig) {
  const { type, file, ...options } = bindOptions(configSchema, config);
  parseOptions(configSchema, { type, file, ...options }, "SQLite user memory configuration");
  return { own: { file }, options };
}

/**
 * Creates a store for facts about users in a SQLite file. Creates the file and its tables if they are missing. Several
 * processes may have the file open at the same time. With `database`, which `openSqlite` returns, the store uses that
 * connection, and closing the store doesn't close it.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the file can't be opened,
 * isn't ours, or was written by a newer version.
 *
 * @example
 * ```ts
 * import { createSqliteUserMemory } from "@jaf/memory-sqlite/user-memory";
 *
 * const memory = await createSqliteUserMemory({ file: "memory.db", auditKey: process.env["AUDIT_KEY"] });
 * await memory.remember("user-456", "Is allergic to peanuts");
 * const facts = await memory.recall("user-456", "Which snacks may I offer?");
 * ```
 */
export async function createSqliteUserMemory(
  config: SqliteUserMemoryConfig,
  database?: SqliteDatabase,
): Promise<UserMemoryStore> {
  const { own, options } = parseConfig(config);
  const store = await openStore(own, database, "createSqliteUserMemory");
  return defineUserMemory(createUserMemoryBackend(store.database, store.close), options);
}

/**
 * Opens the backend of {@link createSqliteUserMemory} alone, for applications that wrap it. Pass the wrapped backend
 * and the options of user memory to `defineUserMemory`.
 *
 * @example
 * ```ts
 * import { createSqliteUserMemoryBackend } from "@jaf/memory-sqlite/user-memory";
 * import { defineUserMemory } from "@jaf/user-memory";
 * import { mapFacts, type TextCodec } from "@jaf/user-memory/adapter";
 *
 * declare const encryption: TextCodec;
 *
 * const backend = await createSqliteUserMemoryBackend({ file: "memory.db" });
 * const memory = defineUserMemory(mapFacts(backend, encryption), { auditKey: process.env["AUDIT_KEY"] });
 * ```
 */
export async function createSqliteUserMemoryBackend(
  config: SqliteConfig,
  database?: SqliteDatabase,
): Promise<UserMemoryBackend> {
  const store = await openStore(config, database, "createSqliteUserMemoryBackend");
  return createUserMemoryBackend(store.database, store.close);
}

/** Creates the backend of user memory in a SQLite file. `close` closes what the caller opened for it. */
export const createUserMemoryBackend = (
  database: OpenedDatabase,
  close: () => Promise<void>,
): UserMemoryBackend => ({
  name: "sqlite",
  ...createReads(database),
  ...createWrites(database),
  ...createSearches(database),
  jobs: createJobs(database),
  close,
  toMemoryError,
});
