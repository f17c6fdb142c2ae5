import { MemorySetupError } from "@jaf/memory";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import { migrate, type PostgresTables, printMigrations } from "../../src/index.ts";
import { migrateGroups, prepareTables } from "../../src/migrations/migrator.ts";
import type { TableGroup } from "../../src/migrations/table-group.ts";
import { startChild } from "../support/child.ts";
import { createProvider } from "../support/provider.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (name = freshSchema()): string => {
  schemas.push(name);
  return name;
};

afterAll(() => dropSchemas(schemas));

describe("migrations", () => {
  it("create the reviewed schema", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema }));
    await expect(await describeSchema(schema)).toMatchFileSnapshot("./conversations.schema.txt");
  });

  it("create the tables of the named groups only", async () => {
    const [migrated, printed, alone] = [schemaOf(), schemaOf(), schemaOf()];
    const groups = ["conversations", "blobs", "cache", "turn-log"] as const;
    await useClient(async (client) => {
      await migrate(client, { schema: migrated, groups, partitions: 2 });
      await migrate(client, { schema: alone });
    });
    await runSql(printMigrations({ schema: printed, groups, partitions: 2 }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
    const journals = (schema: string) =>
      runSql(
        `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename ~ '_migrations$' ORDER BY 1`,
      );
    expect((await journals(migrated)).rows.map(({ tablename }) => tablename)).toEqual([
      "conversations_blob_migrations",
      "conversations_cache_migrations",
      "conversations_migrations",
      "conversations_turn_migrations",
    ]);
    expect((await journals(alone)).rows).toEqual([{ tablename: "conversations_migrations" }]);
  });

  it("keep the groups that were created before one failed", async () => {
    const schema = schemaOf();
    await runSql(`CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".conversations_cache (mine text)`);
    const failed = useClient((client) => migrate(client, { schema, groups: ["blobs", "cache"] }));
    await expect(failed).rejects.toMatchObject({ error: { operation: "migrate" } });
    const { rows } = await runSql(
      `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`,
    );
    expect(rows.map(({ tablename }) => tablename)).toEqual([
      "conversations_blob_migrations",
      "conversations_blobs",
      "conversations_cache",
    ]);
  });

  it.each([
    [{ groups: [] }, /groups/],
    [{ groups: ["facts"] }, /groups/],
    [{ groups: ["blobs", "turn-log"], partitions: 2 }, /partitions/],
  ] as const)("refuse %j", async (given, field) => {
    const options = given as unknown as PostgresTables;
    expect(() => printMigrations(options)).toThrow(field);
    const migrated = useClient((client) => migrate(client, options));
    await expect(migrated).rejects.toThrow(TypeError);
  });

  it("run once if 8 processes start at the same time", async () => {
    const schema = schemaOf();
    const children = await Promise.all(
      Array.from({ length: 8 }, () => startChild("migrate-child.ts", [inject("pgUrl"), schema])),
    );
    try {
      await Promise.all(children.map(({ line }) => line("ready")));
      for (const { process } of children) process.stdin?.write("go\n");
      const results = await Promise.all(children.map(({ line }) => line("result ")));
      expect(results).toEqual(Array.from({ length: 8 }, () => "result stored"));
    } finally {
      await Promise.all(children.map(({ kill }) => kill()));
    }
    const { rows: versions } = await runSql(`SELECT version::int FROM "${schema}".conversations`);
    expect(versions).toEqual([{ version: 8 }]);
    const { rows } = await runSql(`SELECT id FROM "${schema}".conversations_migrations ORDER BY id`);
    expect(rows).toEqual([{ id: 0 }, { id: 1 }]);
  });

  it("print a script with the same effect, any number of times", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated }));
    await runSql(printMigrations({ schema: printed }));
    await runSql(printMigrations({ schema: printed }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("leave nothing behind if they fail", async () => {
    const schema = schemaOf();
    await runSql(`CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".conversations_keys (mine text)`);
    const failed = useClient((client) => migrate(client, { schema }));
    await expect(failed).rejects.toThrow(/exists already and is not ours/);
    const { rows } = await runSql(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`);
    expect(rows).toEqual([{ tablename: "conversations_keys" }]);
  });

  it("need no right to change the schema if there is nothing to change", async () => {
    const schema = schemaOf();
    const role = freshSchema();
    await runSql(`CREATE ROLE ${role}; ${printMigrations({ schema })}
      GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO ${role};`);
    await useClient(async (client) => {
      await client.query(`SET ROLE ${role}`);
      const provider = await createProvider({ schema }, client);
      expect(await provider.appendMessages("c", [{ role: "user", content: "hi" }])).toMatchObject({
        success: true,
      });
      const refused = createProvider({ schema, tableName: "others" }, client);
      await expect(refused).rejects.toThrow(/lacks a right/);
    });
    await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it("are required by the error if the provider must not run them", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const created = createProvider({ schema, migrate: false }, client);
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/run migrate\(\)/);
      await migrate(client, { schema });
      await createProvider({ schema, migrate: false }, client);
    });
  });

  it("are required for tables of an older version, and update them and their functions", async () => {
    const layout = { schema: schemaOf(), tableName: "notes" };
    const functionOf = (answer: number) =>
      `CREATE OR REPLACE FUNCTION "public"."__p___answer"() RETURNS int LANGUAGE sql AS 'SELECT ${answer}'`;
    const first: TableGroup = {
      journalSuffix: "_migrations",
      tables: [""],
      migrations: [{ name: "initial", sql: 'CREATE TABLE "__p__" (id int)' }],
      functions: { sql: functionOf(1), areOwn: () => "true" },
      remedy: "it again",
    };
    const second: TableGroup = {
      ...first,
      migrations: [...first.migrations, { name: "titles", sql: 'ALTER TABLE "__p__" ADD COLUMN title text' }],
      functions: { sql: functionOf(2), areOwn: () => "true" },
    };
    await useClient(async (client) => {
      const answer = async () =>
        (await client.query(`SELECT "${layout.schema}".notes_answer() AS answer`)).rows[0].answer;
      await migrateGroups(client, [first], layout);
      await client.query(`INSERT INTO "${layout.schema}".notes VALUES (1)`);
      expect(await answer()).toBe(1);
      const prepared = (group: TableGroup) =>
        prepareTables(adaptClient(client), group, { ...layout, operation: "open", migrate: false });
      await expect(prepared(second)).rejects.toThrow(/out of date; run it again/);
      for (const group of [second, second, first]) await migrateGroups(client, [group], layout);
      await prepared(first);
      await prepared(second);
      expect(await answer()).toBe(2);
      const { rows } = await client.query(`SELECT * FROM "${layout.schema}".notes`);
      expect(rows).toEqual([{ id: 1, title: null }]);
    });
  });

  it("restore missing functions", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      await migrate(client, { schema });
      const current = await describeSchema(schema);
      await client.query(`DROP FUNCTION "${schema}".conversations_write`);
      await migrate(client, { schema });
      expect(await describeSchema(schema)).toBe(current);
    });
  });

  it.each([
    "conversations",
    "conversations_messages",
    "conversations_traces",
    "conversations_keys",
    "conversations_tombstones",
  ])("report that %s was dropped, and create no empty one instead", async (table) => {
    const schema = schemaOf();
    await useClient(async (client) => {
      await migrate(client, { schema });
      await client.query(`SET client_min_messages = warning; DROP TABLE "${schema}".${table} CASCADE`);
      const reason = /some of the tables are gone/;
      await expect(migrate(client, { schema })).rejects.toThrow(reason);
      await expect(createProvider({ schema }, client)).rejects.toThrow(reason);
      await expect(createProvider({ schema, migrate: false }, client)).rejects.toThrow(reason);
    });
    await expect(runSql(printMigrations({ schema }))).rejects.toMatchObject({ code: "JF004" });
    const { rows } = await runSql(`SELECT to_regclass('"${schema}".${table}')::text AS made`);
    expect(rows).toEqual([{ made: null }]);
  });

  it("find the tables with any search_path of the caller", async () => {
    const schema = schemaOf();
    await runSql(`CREATE SCHEMA "${schema}"`);
    const client = new pg.Client({ connectionString: inject("pgUrl"), options: `-c search_path=${schema}` });
    await client.connect();
    await createProvider({}, client);
    await client.end();
    await useClient(async (elsewhere) => {
      const provider = await createProvider({ schema, migrate: false }, elsewhere);
      expect(await provider.appendMessages("c", [{ role: "user", content: "hi" }])).toMatchObject({
        success: true,
      });
    });
  });

  it("look for the tables in one schema, not along the search_path", async () => {
    const [shared, tenant] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: shared }));
    await runSql(`CREATE SCHEMA "${tenant}"`);
    const options = `-c search_path=${tenant},${shared}`;
    const client = new pg.Client({ connectionString: inject("pgUrl"), options });
    await client.connect();
    await expect(createProvider({ migrate: false }, client)).rejects.toThrow(/run migrate\(\)/);
    const provider = await createProvider({}, client);
    await client.query(`SET search_path = ${shared}`);
    await provider.appendMessages("c", [{ role: "user", content: "hi" }]);
    await client.end();
    const count = (schema: string) => runSql(`SELECT conversation_id FROM "${schema}".conversations`);
    expect((await count(tenant)).rows).toEqual([{ conversation_id: "c" }]);
    expect((await count(shared)).rows).toEqual([]);
  });

  it("report that there is no schema for the tables", () =>
    useClient(async (client) => {
      await client.query("SET search_path = ''");
      await expect(createProvider({}, client)).rejects.toThrow(/no schema to create the tables in/);
      await expect(createProvider({ migrate: false }, client)).rejects.toThrow(/no schema/);
      await expect(client.query(printMigrations())).rejects.toMatchObject({ code: "3F000" });
    }));

  it("leave the settings of the caller's transaction unchanged", () =>
    useClient(async (client) => {
      const path = '"$user", elsewhere';
      await client.query(`SET search_path = ${path}; SET standard_conforming_strings = off; BEGIN`);
      await createProvider({ schema: schemaOf() }, client);
      expect((await client.query("SHOW search_path")).rows).toEqual([{ search_path: path }]);
      const strings = "SHOW standard_conforming_strings";
      expect((await client.query(strings)).rows).toEqual([{ standard_conforming_strings: "off" }]);
      await client.query("COMMIT");
      expect((await client.query("SHOW search_path")).rows).toEqual([{ search_path: path }]);
    }));

  it("run for tables of different names in one new schema at the same time", async () => {
    const schema = schemaOf();
    await useClient(async (first) => {
      await first.query("BEGIN");
      await migrate(first, { schema, tableName: "first" });
      const name = freshSchema();
      const second = useClient(async (client) => {
        await client.query(`SET application_name = '${name}'`);
        await migrate(client, { schema, tableName: "second" });
      });
      const waiting = `SELECT FROM pg_stat_activity WHERE application_name = '${name}' AND wait_event_type = 'Lock'`;
      await expect.poll(async () => (await runSql(waiting)).rowCount).toBe(1);
      await first.query("COMMIT");
      await second;
    });
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`;
    const names = (await runSql(tables)).rows.map(({ tablename }) => tablename);
    expect(names).toEqual(expect.arrayContaining(["first", "second"]));
  });

  it("run if 8 connections start at the same time on a database that is serializable by default", async () => {
    const schema = schemaOf();
    const start = () =>
      useClient(async (client) => {
        await client.query("SET default_transaction_isolation = serializable");
        await migrate(client, { schema });
      });
    await Promise.all(Array.from({ length: 8 }, start));
    const { rows } = await runSql(`SELECT count(*)::int FROM "${schema}".conversations_migrations`);
    expect(rows).toEqual([{ count: 2 }]);
  });

  it("keep writes out of temporary tables with our names", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const provider = await createProvider({ schema }, client);
      for (const name of ["", "_messages", "_traces", "_keys"].map((suffix) => `conversations${suffix}`)) {
        await client.query(`CREATE TEMP TABLE ${name} (LIKE "${schema}".${name} INCLUDING ALL)`);
      }
      await provider.appendMessages("c", [{ role: "user", content: "hi" }]);
    });
    const { rows } = await runSql(`SELECT version::int FROM "${schema}".conversations`);
    expect(rows).toEqual([{ version: 1 }]);
  });
});
