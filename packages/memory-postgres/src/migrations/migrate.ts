import type { PostgresClient } from "../client/clients.ts";
import { type PostgresTables, parseTables, type TableGroupName } from "../config.ts";
import type { TableLayout } from "../table-names.ts";
import { blobTables } from "./blobs.ts";
import { cacheTables } from "./cache.ts";
import { conversationTables } from "./conversations.ts";
import { inboxTables } from "./inbox.ts";
import { ledgerTables } from "./ledger.ts";
import { messageIndexTables } from "./message-index.ts";
import { migrateGroups, printGroups } from "./migrator.ts";
import type { TableGroup } from "./table-group.ts";
import { timerTables } from "./timers.ts";
import { turnLogTables } from "./turn-log.ts";

const TABLE_GROUPS: Readonly<Record<TableGroupName, TableGroup>> = {
  conversations: conversationTables,
  "message-index": messageIndexTables,
  blobs: blobTables,
  cache: cacheTables,
  "turn-log": turnLogTables,
  ledger: ledgerTables,
  inbox: inboxTables,
  timers: timerTables,
};

function toGroups(options: PostgresTables): readonly [groups: readonly TableGroup[], layout: TableLayout] {
  const { groups, ...layout } = parseTables(options);
  return [groups.map((name) => TABLE_GROUPS[name]), layout];
}

/**
 * Creates or updates the tables of the given groups. `createPostgresProvider`, `createPostgresBlobStore`,
 * `createPostgresCacheAdapter`, `createPostgresTurnLog`, `createPostgresLedger`, `createPostgresInbox` and
 * `createPostgresTimers` do this automatically for their own tables, unless their option `migrate` is false. Any number of
 * processes may call this function at the same time. Rejects with a `TypeError` for an invalid option, and with a
 * `MemorySetupError` if the tables can't be created.
 *
 * @example
 * ```ts
 * import { createPostgresProvider, migrate } from "@jaf/memory-postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool();
 * await migrate(pool, { schema: "memory", groups: ["conversations", "blobs", "turn-log"] });
 * const provider = await createPostgresProvider({ schema: "memory", migrate: false }, pool);
 * ```
 */
export async function migrate(client: PostgresClient, options: PostgresTables = {}): Promise<void> {
  await migrateGroups(client, ...toGroups(options));
}

/**
 * Returns the SQL of {@link migrate} as a script for `psql`, for databases that the application must not change. Throws
 * a `TypeError` for an invalid option.
 *
 * @example
 * ```ts
 * import { printMigrations } from "@jaf/memory-postgres";
 *
 * process.stdout.write(printMigrations({ schema: "memory" }));
 * ```
 */
export const printMigrations = (options: PostgresTables = {}): string => printGroups(...toGroups(options));
