import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/index.ts";
import { createBlobTables } from "../../src/migrations/blobs.ts";
import { createCacheTables } from "../../src/migrations/cache.ts";
import { createConversationTables } from "../../src/migrations/conversations.ts";
import { createMessageIndexTables } from "../../src/migrations/message-index.ts";
import { createTurnTables } from "../../src/migrations/turn-log.ts";
import { createUserMemoryTables } from "../../src/migrations/user-memory.ts";
import { migrate as migrateUserMemory } from "../../src/user-memory/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schema = freshSchema();
const tableName = "prefix";

beforeAll(() =>
  useClient(async (client) => {
    await migrate(client, {
      schema,
      tableName,
      groups: ["conversations", "message-index", "blobs", "cache", "turn-log"],
    });
    await migrateUserMemory(client, { schema, tableName });
  }),
);
afterAll(() => dropSchemas([schema]));

const tables: readonly PgTable[] = [
  createConversationTables,
  createMessageIndexTables,
  createBlobTables,
  createCacheTables,
  createTurnTables,
  createUserMemoryTables,
].flatMap((create) => Object.values<PgTable>(create({ schema, tableName })));

interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly defaulted: boolean;
}

const byName = (one: Column, other: Column): number => (one.name < other.name ? -1 : 1);

// As `format_type` writes them, without the collation, which the `…schema.txt` next to this file shows.
const TYPES: Readonly<Record<string, string>> = { "char(64)": "character(64)" };
const typeOf = (type: string): string =>
  TYPES[type] ??
  type
    .replace(/ COLLATE.*/, "")
    .replace(/^varchar/, "character varying")
    .replace(/^timestamp \(3\)/, "timestamp(3)");

describe("the columns for queries", () => {
  it("cover all created tables", async () => {
    const { rows } = await runSql(
      `SELECT relname FROM pg_class WHERE relnamespace = '"${schema}"'::regnamespace AND relkind = 'r'
        AND relname !~ '_migrations$'`,
    );
    expect(tables.map((table) => getTableConfig(table).name).sort()).toEqual(
      rows.map(({ relname }) => relname).sort(),
    );
  });

  it.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
    "match those of the table %s",
    async (name, table) => {
      const { rows } = await runSql(`SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
          attnotnull AS required, atthasdef AS defaulted
        FROM pg_attribute WHERE attrelid = '"${schema}".${name}'::regclass AND attnum > 0 AND NOT attisdropped`);
      const known = getTableConfig(table).columns.map((column) => ({
        name: column.name,
        type: typeOf(column.getSQLType()),
        required: column.notNull,
        defaulted: column.hasDefault,
      }));
      expect(known.sort(byName)).toEqual((rows as Column[]).sort(byName));
    },
  );
});
