import { adaptClient } from "./client/adapt-client.ts";
import type { PostgresClient } from "./client/clients.ts";
import type { SqlClient } from "./client/port.ts";
import type { ConnectionSettings } from "./config.ts";
import { toSetupError } from "./errors.ts";
import { prepareTables } from "./migrations/migrator.ts";
import type { TableGroup } from "./migrations/table-group.ts";
import { openPool } from "./pool.ts";
import type { ResolvedNames, TableNames } from "./schema/names.ts";

interface Opening {
  readonly settings: ConnectionSettings & TableNames;
  /** Used where there is one, and left open. */
  readonly client: PostgresClient | undefined;
  readonly group: TableGroup;
  /** The factory, for errors. */
  readonly operation: string;
}

interface OpenedTables {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  /** Closes what was opened, and never a client that was passed in. */
  readonly close: () => Promise<void>;
}

/** For factories that open no pool. Throws a `TypeError`. */
export function requireClient(client: PostgresClient, operation: string): void {
  if (typeof client === "object" && client !== null) return;
  throw new TypeError(
    `${operation}: expected a Pool or a connected Client of \`pg\`, or a PGlite, as the client`,
  );
}

/** What `make` makes of tables that are there. Rejects with a `MemorySetupError`. */
export async function openTables<T>(
  { settings, client, group, operation }: Opening,
  make: (tables: OpenedTables) => T | Promise<T>,
): Promise<T> {
  const opened =
    client === undefined ? await openPool(settings, operation) : { client, close: async () => {} };
  try {
    const sql = adaptClient(opened.client);
    const names = await prepareTables(sql, group, { ...settings, operation });
    return await make({ sql, names, close: opened.close });
  } catch (thrown) {
    await opened.close().catch(() => {}); // What went wrong first is what helps.
    throw toSetupError(operation, thrown);
  }
}
