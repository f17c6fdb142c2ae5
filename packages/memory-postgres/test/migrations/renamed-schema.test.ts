import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { migrate, printMigrations } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};
afterAll(() => dropSchemas(schemas));

const hello = [{ role: "user", content: "hello" }] as const;

/** A schema with one conversation with this id, which has one message, one trace and one key. */
const fill = (schema: string, id: string, partitions: { readonly partitions?: number } = {}) =>
  useClient(async (client) => {
    const provider = await createProvider({ schema, ...partitions }, client);
    await provider.appendMessages(id, hello, { traceId: "t" }, { idempotencyKey: "k" });
  });

const TABLES = ["", "_messages", "_traces", "_keys"].map((suffix) => `conversations${suffix}`);

/** The ids in each table. */
async function idsIn(schema: string): Promise<readonly string[]> {
  const { rows } = await runSql(
    `SELECT ${TABLES.map((table) => `(SELECT string_agg(conversation_id, ' ' ORDER BY conversation_id) FROM "${schema}".${table}) AS ${table}`)}`,
  );
  return Object.values(rows[0]);
}

const each = <T>(value: T): readonly T[] => [value, value, value, value];

const rename = (from: string, to: string): Promise<unknown> =>
  runSql(`ALTER SCHEMA "${from}" RENAME TO "${to}"`);

/** A renamed schema, and a new one with its old name. */
async function renamedSchema(partitions: { readonly partitions?: number }) {
  const [old, present] = [schemaOf(), schemaOf()];
  await fill(present, "shared", partitions);
  await rename(present, old);
  await fill(present, "shared", partitions);
  return { old, present };
}

describe.each([
  ["in one piece", {}],
  ["in partitions", { partitions: 2 }],
])("a renamed schema, with tables %s", (_name, partitions) => {
  let [old, present] = ["", ""];
  beforeAll(async () => {
    ({ old, present } = await renamedSchema(partitions));
  });

  it.each(["DELETE FROM", "TRUNCATE"])(
    "refuses a %s by hand that would empty the tables of a new one with its old name",
    async (sql) => {
      const isDivided = sql === "DELETE FROM" && "partitions" in partitions;
      const parts = isDivided ? ["conversations_p0", "conversations_p1"] : [];
      for (const table of ["conversations", ...parts])
        await expect(runSql(`${sql} "${old}".${table}`)).rejects.toMatchObject({
          code: "JF003",
          message: expect.stringContaining("migrate() adapts it"),
        });
      expect([await idsIn(present), await idsIn(old)]).toEqual([each("shared"), each("shared")]);
    },
  );

  it("refuses a write by hand that would reach the new schema", async () => {
    const rest = `ARRAY['{}'], ARRAY[''], ARRAY[false], 0, NULL, NULL, '{}', '{}', NULL, NULL, NULL, NULL, 'i', NULL, NULL, NULL, NULL, NULL`;
    const one = runSql(`SELECT "${old}".conversations_write('new', false, ${rest})`);
    await expect(one).rejects.toMatchObject({ code: "JF003" });
    for (const erasure of ["delete('shared', 1)", "clear('u', 1)"])
      await expect(runSql(`SELECT "${old}".conversations_${erasure}`)).rejects.toMatchObject({
        code: "JF003",
      });
    expect(await idsIn(present)).toEqual(each("shared"));
  });

  it("is refused by a provider that must not migrate it", () =>
    useClient(async (client) => {
      const created = createProvider({ schema: old, migrate: false }, client);
      await expect(created).rejects.toThrow(
        /the schema was renamed after its tables were made; run migrate\(\)/,
      );
    }));
});

it.each([
  ["a provider", (client: pg.Client, schema: string) => createProvider({ schema }, client), {}],
  ["migrate", (client: pg.Client, schema: string) => migrate(client, { schema }), { partitions: 2 }],
  ["the script", (client: pg.Client, schema: string) => client.query(printMigrations({ schema })), {}],
])("a renamed schema is separate from its successor after %s has adapted it", (_by, adapt, partitions) =>
  useClient(async (client) => {
    const { old, present } = await renamedSchema(partitions);
    await adapt(client, old);
    const provider = await createProvider({ schema: old, migrate: false }, client);
    expect(await provider.appendMessages("own", hello)).toMatchObject({ success: true });
    expect((await idsIn(old))[0]).toBe("own shared");
    expect(await provider.deleteConversation("shared")).toMatchObject({ data: true });
    expect(await idsIn(old)).toEqual(["own", "own", null, null]);
    await runSql(`TRUNCATE "${old}".conversations`);
    expect(await idsIn(old)).toEqual(each(null));
    expect(await idsIn(present)).toEqual(each("shared"));
  }),
);

it("a renamed schema without a successor works under its new name", async () => {
  const [before, after] = [schemaOf(), schemaOf()];
  await fill(before, "c");
  await rename(before, after);
  await fill(after, "d");
  expect(await idsIn(after)).toEqual(each("c d"));
});

it("a provider with a schema that swapped names with another writes to neither, until both are migrated", async () => {
  const [one, other, between] = [schemaOf(), schemaOf(), schemaOf()];
  await fill(one, "mine");
  await fill(other, "theirs");
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 2 });
  const provider = await createProvider({ schema: one }, pool);
  expect(await provider.appendMessages("mine", hello)).toMatchObject({ success: true });
  await runSql(`ALTER SCHEMA "${one}" RENAME TO "${between}"; ALTER SCHEMA "${other}" RENAME TO "${one}";
    ALTER SCHEMA "${between}" RENAME TO "${other}"`);
  const appends = Array.from({ length: 30 }, (_, at) => provider.appendMessages(`c${at % 15}`, hello));
  for (const result of await Promise.all(appends))
    expect(result).toMatchObject({
      error: {
        _tag: "MemoryStorageError",
        retryable: false,
        message: expect.stringMatching(/run migrate\(\)/),
      },
    });
  expect([(await idsIn(one))[0], (await idsIn(other))[0]]).toEqual(["theirs", "mine"]);
  await Promise.all([migrate(pool, { schema: one }), migrate(pool, { schema: other })]);
  expect(await provider.appendMessages("new", hello)).toMatchObject({ success: true });
  expect([(await idsIn(one))[0], (await idsIn(other))[0]]).toEqual(["new theirs", "mine"]);
  await pool.end();
});
