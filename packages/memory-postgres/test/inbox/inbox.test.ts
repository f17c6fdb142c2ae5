import { describeInboxConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresInbox } from "../../src/index.ts";
import { createInboxStores } from "../support/inbox-stores.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
const schemas: string[] = [];

afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

const createInbox = createInboxStores({
  freshSchema: () => {
    const schema = freshSchema();
    schemas.push(schema);
    return schema;
  },
  open: async (schema) => ({ inbox: await createPostgresInbox({ schema }, pool) }),
  runSql: (sql) => pool.query(sql),
});

describeInboxConformance({ name: "postgres, a pool", createInbox });

describe("the tables of an inbox", () => {
  const entry = { conversationId: "c", userId: "u", key: "k", content: "x" };

  async function open() {
    const schema = freshSchema();
    schemas.push(schema);
    const connect = () => createPostgresInbox({ schema }, pool);
    const count = async (table: string) =>
      Number((await pool.query(`SELECT count(*) FROM "${schema}".conversations_${table}`)).rows[0].count);
    const age = (seconds: number) =>
      pool.query(`UPDATE "${schema}".conversations_inbox_entries SET put_at = put_at - interval '${seconds} seconds';
        UPDATE "${schema}".conversations_inboxes SET known_until = known_until - interval '${seconds} seconds'`);
    return { inbox: await connect(), connect, count, age, schema };
  }

  it("lose keys and inboxes that are no longer needed, a few at each put", async () => {
    const { inbox, count, age } = await open();
    for (let at = 0; at < 45; at++) {
      const conversationId = `c${at % 15}`;
      const put = await inbox.put({ ...entry, conversationId, key: `k${at}` });
      if (put.success && at >= 15) await inbox.remove({ conversationId, upTo: put.data.cursor });
    }
    await inbox.put({ ...entry, conversationId: "waits", key: "waits" });
    expect([await count("inboxes"), await count("inbox_entries")]).toEqual([16, 46]);
    await age(86_400);
    await inbox.put({ ...entry, key: "1" });
    expect([await count("inboxes"), await count("inbox_entries")]).toEqual([17, 37]);
    for (let at = 2; at < 10; at++) await inbox.put({ ...entry, key: `${at}` });
    expect([await count("inboxes"), await count("inbox_entries")]).toEqual([2, 10]);
    expect(await inbox.waiting()).toMatchObject({ data: [{ conversationId: "waits" }, { entries: 9 }] });
  });

  it("lose the keys of another user once, also if these are no longer needed", async () => {
    const { inbox, count, age } = await open();
    for (const key of ["1", "2", "3"]) {
      const put = await inbox.put({ ...entry, key });
      if (put.success && key !== "3") await inbox.remove({ conversationId: "c", upTo: put.data.cursor });
    }
    await age(86_400);
    expect(await inbox.put({ ...entry, userId: "v" })).toMatchObject({ data: { isNew: true } });
    expect([await count("inboxes"), await count("inbox_entries")]).toEqual([1, 1]);
    expect(await inbox.read({ conversationId: "c" })).toMatchObject({ data: [{ userId: "v", key: "k" }] });
  });

  it("keep the content of no removed entry", async () => {
    const { inbox, schema } = await open();
    const put = await inbox.put({ ...entry, content: "a secret" });
    if (put.success) await inbox.remove({ conversationId: "c", upTo: put.data.cursor });
    const { rows } = await pool.query(`SELECT content FROM "${schema}".conversations_inbox_entries`);
    expect(rows).toEqual([{ content: null }]);
  });

  it("show a put in a transaction of the application only if it is committed, and let others wait", async () => {
    const { inbox, schema } = await open();
    const client = new pg.Client(inject("pgUrl"));
    await client.connect();
    const own = await createPostgresInbox({ schema }, client);
    await inbox.put({ ...entry, key: "first" });
    const keys = async () => {
      const entries = await inbox.read({ conversationId: "c" });
      return entries.success ? entries.data.map(({ key }) => key) : entries.error;
    };
    await client.query("BEGIN");
    await own.put({ ...entry, key: "rolled back" });
    const afterRollback = inbox.put({ ...entry, key: "second" });
    await client.query("ROLLBACK");
    expect(await afterRollback).toMatchObject({ data: { isNew: true } });
    expect(await keys()).toEqual(["first", "second"]);
    await client.query("BEGIN");
    await own.put({ ...entry, key: "committed" });
    const afterCommit = [inbox.put({ ...entry, key: "third" }), inbox.put({ ...entry, key: "committed" })];
    expect(await keys()).toEqual(["first", "second"]);
    await client.query("COMMIT");
    expect(await Promise.all(afterCommit)).toMatchObject([
      { data: { isNew: true } },
      { data: { isNew: false } },
    ]);
    expect(await keys()).toEqual(["first", "second", "committed", "third"]);
    await client.end();
  });

  it("are refused without a client", async () => {
    await expect(createPostgresInbox({}, undefined as never)).rejects.toThrow(TypeError);
  });
});
