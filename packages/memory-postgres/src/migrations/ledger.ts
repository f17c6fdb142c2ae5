import { date, doublePrecision, smallint } from "drizzle-orm/pg-core";
import type { TableNames } from "../table-names.ts";
import { ddl, exactTextColumn, idColumn, type TableGroup, tableIn } from "./table-group.ts";

const AMOUNTS = `
	"calls" double precision NOT NULL,
	"input_tokens" double precision NOT NULL,
	"output_tokens" double precision NOT NULL,
	"cached_input_tokens" double precision NOT NULL,
	"cache_write_tokens" double precision NOT NULL,
	"reasoning_tokens" double precision NOT NULL,
	"cost" double precision NOT NULL,`;

/** The group with the tables of a ledger. */
export const ledgerTables: TableGroup = {
  journalSuffix: "_ledger_migrations",
  tables: ["_ledger", "_ledger_totals"],
  migrations: [
    {
      name: "initial",
      sql: ddl`
CREATE TABLE "__p___ledger" (
	"user_id" varchar(255) COLLATE "C" NOT NULL,
	"day" date NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"slice" smallint NOT NULL,
	"tenant_id" varchar(255) COLLATE "C" NOT NULL,
	"agent" varchar(255) COLLATE "C" NOT NULL,
	"model" varchar(255) COLLATE "C" NOT NULL,
	"tool" varchar(255) COLLATE "C" NOT NULL,
	"cache_miss" text COLLATE "C" NOT NULL,${AMOUNTS}
	CONSTRAINT "__p___ledger_pkey" PRIMARY KEY ("user_id", "day", "key", "slice")
);
CREATE INDEX "idx___p___ledger_day" ON "__p___ledger" ("day");
CREATE TABLE "__p___ledger_totals" (
	"scope" text COLLATE "C" NOT NULL,
	"id" varchar(255) COLLATE "C" NOT NULL,
	"period" text COLLATE "C" NOT NULL,
	"began" date NOT NULL,
	"slice" smallint NOT NULL,${AMOUNTS}
	CONSTRAINT "__p___ledger_totals_pkey" PRIMARY KEY ("scope", "id", "period", "began", "slice")
);
CREATE INDEX "idx___p___ledger_totals_began" ON "__p___ledger_totals" ("began");
-- Leaves room for the next version of a row in the row's page. No index contains a column that changes.
ALTER TABLE "__p___ledger" SET (fillfactor = 70);
ALTER TABLE "__p___ledger_totals" SET (fillfactor = 50);
`,
    },
  ],
  remedy: 'migrate(), or the script of printMigrations(), with `groups: ["ledger"]`',
};

const amounts = () => ({
  calls: doublePrecision("calls").notNull(),
  inputTokens: doublePrecision("input_tokens").notNull(),
  outputTokens: doublePrecision("output_tokens").notNull(),
  cachedInputTokens: doublePrecision("cached_input_tokens").notNull(),
  cacheWriteTokens: doublePrecision("cache_write_tokens").notNull(),
  reasoningTokens: doublePrecision("reasoning_tokens").notNull(),
  cost: doublePrecision("cost").notNull(),
});

/** The tables of a ledger with their columns, for queries. Days are in UTC. An absent id or name is an empty text. */
export function createLedgerTables({ tableName, schema }: TableNames) {
  const table = tableIn({ schema });
  const sums = table(`${tableName}_ledger`, {
    userId: idColumn("user_id").notNull(),
    day: date("day").notNull(),
    /** The SHA-256 of the other names, because together they may be too long for an index. */
    key: exactTextColumn("key").notNull(),
    /**
     * The number of the slice. The calls of everyone or a tenant, and those without a user, are divided into slices, so
     * that their writers seldom wait for each other. A sum is that of all slices.
     */
    slice: smallint("slice").notNull(),
    tenantId: idColumn("tenant_id").notNull(),
    agent: idColumn("agent").notNull(),
    model: idColumn("model").notNull(),
    tool: idColumn("tool").notNull(),
    cacheMiss: exactTextColumn("cache_miss").notNull(),
    ...amounts(),
  });
  const totals = table(`${tableName}_ledger_totals`, {
    /** Whose amounts these are: `user`, `tenant` or `everyone`. */
    scope: exactTextColumn("scope").notNull(),
    id: idColumn("id").notNull(),
    /** The length of the period: `day` or `month`. */
    period: exactTextColumn("period").notNull(),
    /** The first day of the period. */
    began: date("began").notNull(),
    slice: smallint("slice").notNull(),
    ...amounts(),
  });
  return { sums, totals };
}
