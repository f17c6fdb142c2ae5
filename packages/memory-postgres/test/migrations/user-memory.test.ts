import { MemorySetupError } from "@jaf/memory";
import { afterAll, describe, expect, inject, it } from "vitest";
import * as conversations from "../../src/index.ts";
import { createPostgresUserMemory, migrate, printMigrations } from "../../src/user-memory/index.ts";
import { startChild } from "../support/child.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const name = freshSchema();
  schemas.push(name);
  return name;
};

afterAll(() => dropSchemas(schemas));

describe("the migrations of user memory", () => {
  it("create the reviewed schema", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema }));
    await expect(await describeSchema(schema)).toMatchFileSnapshot("./user-memory.schema.txt");
  });

  it("run once if 4 processes start at the same time", { timeout: 60_000 }, async () => {
    const schema = schemaOf();
    const children = await Promise.all(
      Array.from({ length: 4 }, () => startChild("migrate-user-memory-child.ts", [inject("pgUrl"), schema])),
    );
    try {
      await Promise.all(children.map(({ line }) => line("ready")));
      for (const { process } of children) process.stdin?.write("go\n");
      const results = await Promise.all(children.map(({ line }) => line("result ")));
      expect(results).toEqual(Array.from({ length: 4 }, () => "result remembered"));
    } finally {
      await Promise.all(children.map(({ kill }) => kill()));
    }
    const { rows } = await runSql(`SELECT version::int, documents::int FROM "${schema}".user_memory_heads`);
    expect(rows).toEqual([{ version: 4, documents: 4 }]);
  });

  it("run if 8 connections start at the same time on a database that is serializable by default", async () => {
    const schema = schemaOf();
    const start = () =>
      useClient(async (client) => {
        await client.query("SET default_transaction_isolation = serializable");
        await migrate(client, { schema });
      });
    await Promise.all(Array.from({ length: 8 }, start));
    const { rows } = await runSql(`SELECT id FROM "${schema}".user_memory_fact_migrations ORDER BY id`);
    expect(rows).toEqual([{ id: 0 }, { id: 1 }]);
  });

  it("print a script with the same effect, any number of times", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated }));
    await runSql(printMigrations({ schema: printed }));
    await runSql(printMigrations({ schema: printed }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("can share a schema, and even a prefix, with conversations, in either order", async () => {
    for (const first of [conversations.migrate, migrate]) {
      const tables = { schema: schemaOf(), tableName: "shared" };
      await useClient(async (client) => {
        await first(client, tables);
        const provider = await conversations.createPostgresProvider(tables, client);
        const memory = await createPostgresUserMemory(tables, client);
        await memory.remember("u", "Likes tea");
        const said = [{ role: "user", content: "hi" }] as const;
        expect(await provider.storeMessages("c", said, { userId: "u" })).toMatchObject({ success: true });
        expect(await memory.recall("u", "tea")).toHaveLength(1);
      });
    }
  });

  it("create no tables of conversations", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema }));
    const { rows } = await runSql(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`);
    expect(rows.filter(({ tablename }) => !tablename.startsWith("user_memory_"))).toEqual([]);
  });

  it("are required by the error if the store must not run them", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const created = createPostgresUserMemory({ schema, migrate: false }, client);
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/run migrate\(\)/);
      await migrate(client, { schema });
      await createPostgresUserMemory({ schema, migrate: false }, client);
    });
  });

  it("restore a missing function", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      await migrate(client, { schema });
      const current = await describeSchema(schema);
      await client.query(`DROP FUNCTION "${schema}".user_memory_erase`);
      const created = createPostgresUserMemory({ schema, migrate: false }, client);
      await expect(created).rejects.toThrow(/run migrate\(\)/);
      await migrate(client, { schema });
      expect(await describeSchema(schema)).toBe(current);
    });
  });

  it.each(["heads", "facts", "fact_tombstones", "audit", "jobs"])(
    "report that the %s were dropped, and create no empty ones instead",
    async (table) => {
      const schema = schemaOf();
      await useClient(async (client) => {
        await migrate(client, { schema });
        await client.query(`DROP TABLE "${schema}".user_memory_${table}`);
        const reason = /some of the tables are gone/;
        await expect(migrate(client, { schema })).rejects.toThrow(reason);
        await expect(createPostgresUserMemory({ schema, migrate: false }, client)).rejects.toThrow(reason);
      });
    },
  );

  it("keep a renamed schema usable, and don't touch another with its old name", async () => {
    const [before, after] = [schemaOf(), schemaOf()];
    await useClient(async (client) => {
      await (await createPostgresUserMemory({ schema: before }, client)).remember("u", "Likes tea");
      await client.query(`ALTER SCHEMA "${before}" RENAME TO "${after}"`);
      await (await createPostgresUserMemory({ schema: before }, client)).remember("u", "Likes coffee");
      const renamed = await createPostgresUserMemory({ schema: after, migrate: false }, client);
      expect(await renamed.forgetAll("u")).toMatchObject({ facts: 1 });
      const { rows } = await client.query(`SELECT fact FROM "${before}".user_memory_facts`);
      expect(rows).toEqual([{ fact: "Likes coffee" }]);
    });
  });

  it.each([
    "te\"na'nt $jaf$ $jaf_migration$; --",
    "Müller & Söhne",
    "public",
    "a\\b",
    "$function$; DROP SCHEMA public; --",
    '"public".',
    "select",
    "😀".repeat(15),
    "%I %s",
  ])("support a schema named %s", async (schema) => {
    const tableName = `t${crypto.randomUUID().replaceAll("-", "")}`;
    await useSchemaNamed(schema, async (client) => {
      const memory = await createPostgresUserMemory({ schema, tableName }, client);
      await memory.remember("u", "Likes tea", { key: "drink" });
      expect(await memory.recall("u", "tea?")).toMatchObject([{ fact: "Likes tea" }]);
      expect(await memory.forgetAll("u")).toMatchObject({ facts: 1 });
    });
  });

  it.each(["select", "user", "_", "t".repeat(40), "__p__"])("support tables named %s", async (tableName) => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const memory = await createPostgresUserMemory({ schema, tableName }, client);
      await memory.remember("u", "Likes tea");
      expect(await memory.forgetAll("u")).toMatchObject({ facts: 1 });
    });
  });
});
