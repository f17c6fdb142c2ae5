import type { TurnLog } from "@jaf/memory";
import { defineTurnLog } from "@jaf/memory/adapter";
import type { PostgresClient } from "../client/clients.ts";
import { type PostgresConfig, parseConfig } from "../config.ts";
import { turnLogTables } from "../migrations/turn-log.ts";
import { openTables, requireClient } from "../open-tables.ts";
import { createTurnLogBackend } from "./operations.ts";

/**
 * Keeps the log of turns in tables of Postgres or PGlite for all processes that share it, and creates them if they are missing. The
 * client, a `Pool`, a connected `Client` or a PGlite, is never closed. The tables are named after the `tableName` of the
 * conversations: `conversations_turns` and `conversations_turn_events`. Each call is one statement; on a pool, appends that
 * come while others are in progress go together. Times are measured by the database's clock.
 *
 * On a pool and on PGlite, turns that begin also remove some that have expired. With a `Client`, calls within a transaction of
 * the application belong to it: other processes see its events once it is committed, and wait until then to write to its turns.
 *
 * Rejects with a `TypeError` for an invalid client or option, and with a `MemorySetupError` if the tables can't be created or found.
 */
export async function createPostgresTurnLog(
  client: PostgresClient,
  options: Pick<PostgresConfig, "tableName" | "schema" | "migrate"> = {},
): Promise<TurnLog> {
  const operation = "createPostgresTurnLog";
  requireClient(client, operation);
  const opening = { settings: parseConfig(options), client, group: turnLogTables, operation };
  return openTables(opening, (tables) => defineTurnLog(createTurnLogBackend(tables)));
}
