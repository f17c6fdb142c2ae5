import { afterAll, describe, expect, it } from "vitest";
import { migrate, printMigrations } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};
afterAll(() => dropSchemas(schemas));

const parts = async (schema: string) => {
  const { rows } = await runSql(`SELECT parent.relname AS name, count(*)::int FROM pg_inherits
    JOIN pg_class AS parent ON parent.oid = inhparent
    WHERE parent.relnamespace = '${schema}'::regnamespace AND parent.relkind = 'p' GROUP BY 1 ORDER BY 1`);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};

const four = (count: number) => ({
  conversations: count,
  conversations_keys: count,
  conversations_messages: count,
  conversations_traces: count,
});

describe("tables in partitions", () => {
  it("are all four partitioned, by migrate and by the printed script", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated, partitions: 3 }));
    await runSql(printMigrations({ schema: printed, partitions: 3 }));
    expect(await parts(migrated)).toEqual(four(3));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("distribute conversations over the partitions, each with its messages", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const provider = await createProvider({ schema, partitions: 4 }, client);
      for (let index = 0; index < 40; index++)
        await provider.appendMessages(`c${index}`, [{ role: "user", content: "hi" }], { userId: "u" });
    });
    const split = (table: string) => `SELECT right(tableoid::regclass::text, 1) AS part, conversation_id
      FROM "${schema}".${table} ORDER BY conversation_id`;
    const conversations = (await runSql(split("conversations"))).rows;
    expect(new Set(conversations.map(({ part }) => part)).size).toBe(4);
    expect((await runSql(split("conversations_messages"))).rows).toEqual(conversations);
  });

  it("can be created by many processes at the same time", async () => {
    const schema = schemaOf();
    const start = () => useClient((client) => migrate(client, { schema, partitions: 2 }));
    await Promise.all(Array.from({ length: 8 }, start));
    expect(await parts(schema)).toEqual(four(2));
  });

  it("are missing, not wrong, for a snapshot from before they were created", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await client.query("SELECT count(*) FROM pg_class");
      await useClient((other) => migrate(other, { schema, partitions: 2 }));
      const provider = createProvider({ schema, partitions: 2, migrate: false }, client);
      await expect(provider).rejects.toThrow(/missing or out of date/);
    });
  });

  it("are used as they are if the configuration has no number", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      await migrate(client, { schema, partitions: 2 });
      const provider = await createProvider({ schema, migrate: false }, client);
      expect(await provider.appendMessages("c", [{ role: "user", content: "hi" }])).toMatchObject({
        success: true,
      });
    });
  });

  it.each([
    ["in one piece", {}],
    ["in another number of parts", { partitions: 2 }],
  ])("are an unchanged error if they exist %s", async (_name, before) => {
    const schema = schemaOf();
    await useClient(async (client) => {
      await migrate(client, { schema, ...before });
      const reason = /were created with another number of partitions/;
      await expect(migrate(client, { schema, partitions: 4 })).rejects.toThrow(reason);
      await expect(createProvider({ schema, partitions: 4 }, client)).rejects.toThrow(reason);
      const other = createProvider({ schema, partitions: 4, migrate: false }, client);
      await expect(other).rejects.toThrow(reason);
    });
    const printed = runSql(printMigrations({ schema, partitions: 4 }));
    await expect(printed).rejects.toMatchObject({ code: "JF002" });
    expect(await parts(schema)).toEqual("partitions" in before ? four(2) : {});
  });
});
