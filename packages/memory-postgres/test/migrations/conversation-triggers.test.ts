import { afterAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
afterAll(() => dropSchemas(schemas));

/** Three conversations, each with a message, a trace and a key. */
async function filledSchema(partitions: { readonly partitions?: number }): Promise<string> {
  const schema = freshSchema();
  schemas.push(schema);
  await useClient(async (client) => {
    const provider = await createProvider({ schema, ...partitions }, client);
    for (const id of ["a", "b", "c"]) {
      const metadata = { userId: id, traceId: `trace ${id}` };
      const options = { idempotencyKey: `key ${id}` };
      await provider.appendMessages(id, [{ role: "user", content: "hi" }], metadata, options);
    }
  });
  return schema;
}

const remaining = async (schema: string) => {
  const ids = (table: string) =>
    `(SELECT coalesce(string_agg(DISTINCT conversation_id, '' ORDER BY conversation_id), '') FROM "${schema}".${table})`;
  const tables = ["conversations", "conversations_messages", "conversations_traces", "conversations_keys"];
  const { rows } = await runSql(`SELECT ${tables.map((table) => `${ids(table)} AS ${table}`).join(", ")}`);
  return Object.values(rows[0]);
};

const all = (ids: string) => [ids, ids, ids, ids];

describe.each([
  ["in one piece", {}],
  ["in partitions", { partitions: 3 }],
])("SQL by hand, on tables %s", (_name, partitions) => {
  it("deletes dependent rows with their conversations, and nothing else", async () => {
    const schema = await filledSchema(partitions);
    await runSql(`DELETE FROM "${schema}".conversations WHERE user_id IN ('a', 'c')`);
    expect(await remaining(schema)).toEqual(all("b"));
    await runSql(`DELETE FROM "${schema}".conversations WHERE user_id = 'nobody'`);
    expect(await remaining(schema)).toEqual(all("b"));
  });

  it("truncates dependent tables with the conversations", async () => {
    const schema = await filledSchema(partitions);
    await runSql(`TRUNCATE "${schema}".conversations`);
    expect(await remaining(schema)).toEqual(all(""));
  });

  it("can't rename a conversation, but can change its other columns", async () => {
    const schema = await filledSchema(partitions);
    await expect(runSql(`UPDATE "${schema}".conversations SET conversation_id = 'd'`)).rejects.toThrow(
      /can't be changed/,
    );
    await runSql(`UPDATE "${schema}".conversations SET conversation_id = conversation_id, user_id = 'x'`);
    expect(await remaining(schema)).toEqual(all("abc"));
  });
});

it("SQL by hand that deletes from one partition also deletes the dependent rows", async () => {
  const schema = await filledSchema({ partitions: 2 });
  const { rows } = await runSql(`SELECT string_agg(conversation_id, '' ORDER BY 1) AS ids
    FROM "${schema}".conversations_p1`);
  await runSql(`DELETE FROM "${schema}".conversations_p0`);
  expect(await remaining(schema)).toEqual(all(rows[0].ids ?? ""));
});

describe("a role that may delete only conversations", () => {
  it("deletes them whole, and can't make the trigger work for a table of its own", async () => {
    const schema = await filledSchema({});
    const role = freshSchema();
    await useClient((client) => migrate(client, { schema }));
    await runSql(`CREATE ROLE ${role}; GRANT USAGE, CREATE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT, DELETE ON "${schema}".conversations TO ${role}`);
    await useClient(async (client) => {
      await client.query(`SET ROLE ${role}`);
      await client.query(`DELETE FROM "${schema}".conversations WHERE conversation_id = 'a'`);
      await client.query(`CREATE TABLE "${schema}".own (conversation_id text)`);
      const trigger = client.query(`CREATE TRIGGER own AFTER DELETE ON "${schema}".own
        REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION "${schema}".conversations_cascade()`);
      await expect(trigger).rejects.toMatchObject({ code: "42501" });
    });
    expect(await remaining(schema)).toEqual(all("bc"));
    await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});
