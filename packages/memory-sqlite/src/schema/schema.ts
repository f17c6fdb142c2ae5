import type { SqliteClient } from "../client/client.ts";
import { FileFault } from "../errors.ts";
import { blobTables } from "./blobs.ts";
import { conversationTables } from "./conversations.ts";
import { inboxTables } from "./inbox.ts";
import { turnLogTables } from "./turn-log.ts";
import { userMemoryTables } from "./user-memory.ts";

/**
 * The migrations, in their order. The file's `user_version` is the number of those that it has. Never change one that
 * was published.
 */
const MIGRATIONS: readonly string[] = [
  [conversationTables, userMemoryTables, turnLogTables, blobTables, inboxTables].join("\n"),
];

// "JAFm". SQLite keeps this number in the file's header.
const APPLICATION_ID = 0x4a_41_46_6d;

const numberOf = (client: SqliteClient, pragma: string): number =>
  Number(client.first(`PRAGMA ${pragma}`)?.[pragma]);

/**
 * Creates or updates the tables. Runs in a write transaction: of two processes that open a new file at the same time,
 * the second one finds the tables of the first. Throws a `FileFault` if the file has another application's tables, or
 * those of a newer version.
 */
export function prepareSchema(client: SqliteClient): void {
  const version = numberOf(client, "user_version");
  if (numberOf(client, "application_id") !== APPLICATION_ID) {
    if (version !== 0 || client.first("SELECT name FROM sqlite_schema LIMIT 1") !== undefined) {
      throw new FileFault("the file belongs to another application; choose another `file`");
    }
    client.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  }
  if (version > MIGRATIONS.length) {
    throw new FileFault(
      `the file has format ${version}, which a newer version of @jaf/memory-sqlite wrote, and this one knows formats up to ${MIGRATIONS.length}; update the package`,
    );
  }
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) client.exec(migration);
  client.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
}
