import { createHash } from "node:crypto";
import type { LedgerStore } from "@jaf/memory";
import {
  defineLedger,
  LEDGER_AMOUNTS,
  type LedgerAddition,
  type LedgerAmounts,
  type LedgerBackend,
  parseOptions,
} from "@jaf/memory/adapter";
import * as z from "zod";
import type { PostgresClient, SqlClient } from "../client/clients.ts";
import { only } from "../client/statements.ts";
import { type PostgresConfig, postgresConfigSchema } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { ledgerTables } from "../migrations/ledger.ts";
import { openStore } from "../open-store.ts";
import type { ResolvedNames } from "../table-names.ts";
import { createReportQuery, toAmounts, toReportRow } from "./report.ts";
import { AMOUNT_COLUMNS, createLedgerStatements } from "./statements.ts";

const schema = z.strictObject({
  ...postgresConfigSchema.shape,
  retentionDays: z.int().min(1).max(36_500).default(400),
});

/** The configuration of {@link createPostgresLedger}. `partitions` has no effect. */
export interface PostgresLedgerConfig extends PostgresConfig {
  /**
   * For how many days the sums of a day are kept for reports: 1 to 36,500. Each record removes at most 20 older sums.
   * Default 400.
   */
  readonly retentionDays?: number;
}

/**
 * Creates a ledger of what model calls use and cost in two tables of Postgres or PGlite, for budgets that all processes
 * share, and for reports. Creates the tables if they are missing. `client` is a connected `Client` or a `Pool` of `pg`,
 * or a PGlite instance. Closing the ledger doesn't close `client`. Without `client`, the ledger opens a pool. Use the
 * `tableName` of the conversations: the names of the tables begin with it, e.g. `conversations_ledger`.
 *
 * Each call is one statement. With a `Client`, calls within a transaction of the application are part of that
 * transaction, and other records of the same user wait for its end.
 *
 * Rejects with a `TypeError` for an invalid configuration, and with a `MemorySetupError` if the database can't be
 * reached or the tables can't be created.
 *
 * @example
 * ```ts
 * import { createPostgresLedger } from "@jaf/memory-postgres";
 *
 * const ledger = await createPostgresLedger({ connectionString: "postgres://localhost/app" });
 * await ledger.record([{ userId: "user-42", agentName: "support", model: "gpt-5", calls: 1, cost: 0.02 }]);
 * const spent = await ledger.amounts([{ of: "user", id: "user-42", period: "day" }]);
 * if (spent.success) console.log(spent.data[0]?.cost);
 * ```
 */
export async function createPostgresLedger(
  config: PostgresLedgerConfig = {},
  client?: PostgresClient,
): Promise<LedgerStore> {
  const { retentionDays, ...settings } = parseOptions(schema, config, "Postgres ledger configuration");
  const opening = { settings, client, group: ledgerTables, operation: "createPostgresLedger" };
  return openStore(opening, (tables) => defineLedger(createLedgerBackend({ ...tables, retentionDays })));
}

interface LedgerBackendOptions {
  readonly sql: SqlClient;
  readonly names: ResolvedNames;
  readonly retentionDays: number;
  /** Closes the pool if the ledger opened it. A client that the application passed in stays open. */
  readonly close: () => Promise<void>;
}

const columnsOf = (amounts: LedgerAmounts): object =>
  Object.fromEntries(LEDGER_AMOUNTS.map((field, at) => [AMOUNT_COLUMNS[at], amounts[field]]));

function sumColumns({ user, tenant, agent, model, tool, cacheMiss, amounts }: LedgerAddition): object {
  const names = [tenant ?? "", agent, model, tool ?? "", cacheMiss ?? ""];
  const key = createHash("sha256").update(JSON.stringify(names)).digest("base64url");
  const [tenant_id, , , toolName, cache_miss] = names;
  return {
    user_id: user ?? "",
    key,
    tenant_id,
    agent,
    model,
    tool: toolName,
    cache_miss,
    ...columnsOf(amounts),
  };
}

/** Creates the backend for a ledger in tables. */
function createLedgerBackend({ sql, names, retentionDays, close }: LedgerBackendOptions): LedgerBackend {
  const statements = createLedgerStatements(names);
  const reportQuery = createReportQuery(names);

  return {
    name: "postgres",

    record: async ({ sums, totals }) => {
      const given = {
        sums: JSON.stringify(sums.map(sumColumns)),
        totals: JSON.stringify(
          totals.map(({ of, id, amounts }) => ({ scope: of, id, ...columnsOf(amounts) })),
        ),
      };
      await sql.query({ ...statements.record({ ...given, retentionDays }), writes: true });
    },

    amounts: async (scopes) => {
      const given = scopes.map(({ of, id = "", period }, at) => ({ at, scope: of, id, period }));
      return (await sql.query(statements.amounts({ scopes: JSON.stringify(given) }))).map(toAmounts);
    },

    report: async (query) => {
      const rows = await sql.query(reportQuery(query));
      return rows.map((row) => toReportRow(row, query.by));
    },

    eraseUser: async (userId) => {
      const row = only(await sql.query({ ...statements.eraseUser({ userId }), writes: true }));
      return Number(row["erased"]);
    },

    close,
    toMemoryError,
  };
}
