import { Client } from "pg";
import { afterAll, expect, inject, it } from "vitest";
import { createPostgresProvider } from "../src/index.ts";
import { runSql } from "./support/stores.ts";

const tableName = "spec_conversations";

afterAll(() =>
  runSql(`SET client_min_messages = warning;
    DROP TABLE ${["", "_messages", "_traces", "_keys", "_tombstones", "_migrations"].map((suffix) => tableName + suffix)} CASCADE;
    DO $$ BEGIN EXECUTE (SELECT string_agg('DROP FUNCTION ' || oid::regprocedure, '; ')
      FROM pg_proc WHERE proname LIKE '${tableName}\\_%'); END $$`),
);

it("runs the documented set-up, and the documented queries find the schema", async () => {
  const postgresClient = new Client(inject("pgUrl"));
  await postgresClient.connect();

  const provider = await createPostgresProvider(
    {
      type: "postgres",
      host: "localhost",
      port: 5432,
      database: "jaf_memory",
      username: "postgres",
      password: "testpass",
      ssl: false,
      tableName,
      maxConnections: 10,
    },
    postgresClient,
  );
  expect(await provider.storeMessages("conv-123", [{ role: "user", content: "Hello" }])).toMatchObject({
    success: true,
  });

  const columns = await postgresClient.query(
    `SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '${tableName}'`,
  );
  expect(columns.rows).toEqual(
    expect.arrayContaining([
      { column_name: "conversation_id", data_type: "character varying" },
      { column_name: "user_id", data_type: "character varying" },
      { column_name: "metadata", data_type: "jsonb" },
      { column_name: "created_at", data_type: "timestamp with time zone" },
      { column_name: "updated_at", data_type: "timestamp with time zone" },
      { column_name: "last_activity", data_type: "timestamp with time zone" },
    ]),
  );
  const indexes = await postgresClient.query(
    `SELECT indexname FROM pg_indexes WHERE tablename IN ('${tableName}', '${tableName}_traces')`,
  );
  const names = ["user_id", "created_at", "last_activity", "metadata_gin", "trace_id"];
  expect(indexes.rows.map(({ indexname }) => indexname)).toEqual(
    expect.arrayContaining(names.map((name) => `idx_${tableName}_${name}`)),
  );
  await postgresClient.end();
});
