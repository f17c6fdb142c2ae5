import { MemorySetupError } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { createPostgresInbox, createPostgresProvider, migrate, printMigrations } from "../../src/index.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const name = freshSchema();
  schemas.push(name);
  return name;
};

const groups = ["inbox"] as const;

afterAll(() => dropSchemas(schemas));

describe("the migrations of an inbox", () => {
  it("create the reviewed schema", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema, groups }));
    await expect(await describeSchema(schema)).toMatchFileSnapshot("./inbox.schema.txt");
  });

  it("print a script with the same effect, any number of times", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("run once if 8 inboxes are created at the same time", async () => {
    const schema = schemaOf();
    const create = () => useClient(async (client) => void (await createPostgresInbox(client, { schema })));
    await Promise.all(Array.from({ length: 8 }, create));
    const { rows } = await runSql(`SELECT id FROM "${schema}".conversations_inbox_migrations ORDER BY id`);
    expect(rows).toEqual([{ id: 0 }]);
  });

  it("can share a schema and a prefix with partitioned conversations, in either order", async () => {
    for (const both of [["conversations", "inbox"] as const, ["inbox", "conversations"] as const]) {
      const tables = { schema: schemaOf(), tableName: "shared", partitions: 2 };
      await useClient(async (client) => {
        await migrate(client, { ...tables, groups: both });
        await createPostgresProvider({ ...tables, migrate: false }, client);
        await createPostgresInbox(client, {
          tableName: tables.tableName,
          schema: tables.schema,
          migrate: false,
        });
      });
    }
  });

  it("are required by the error if the inbox must not run them, and a missing table is reported", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const created = createPostgresInbox(client, { schema, migrate: false });
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/run migrate\(\).* with `groups: \["inbox"\]`/);
      await migrate(client, { schema, groups });
      await client.query(`DROP TABLE "${schema}".conversations_inbox_entries`);
      await expect(createPostgresInbox(client, { schema })).rejects.toThrow(/some of the tables are gone/);
    });
  });

  it.each(["te\"na'nt $jaf$ $jaf_migration$; --", '"public".', "%I %s"])(
    "support a schema named %s",
    async (schema) => {
      await useSchemaNamed(schema, async (client) => {
        const inbox = await createPostgresInbox(client, { schema });
        const put = await inbox.put({ conversationId: "c", userId: "u", key: "k", content: "x" });
        expect(put).toMatchObject({ data: { isNew: true } });
        expect(await inbox.deleteUser("u")).toEqual({ success: true, data: 1 });
      });
    },
  );
});
