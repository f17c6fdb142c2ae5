import { afterAll, describe, expect, it } from "vitest";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};
afterAll(() => dropSchemas(schemas));

const secret = [
  { role: "user", content: "secret" },
  { role: "assistant", content: "secret" },
] as const;
const hello = [{ role: "user", content: "hello" }] as const;
const hers = { userId: "her", traceId: "her trace" };
const key = { idempotencyKey: "first" };

const layouts: readonly (readonly [string, { readonly partitions?: number }])[] = [
  ["in one piece", {}],
  ["in partitions", { partitions: 2 }],
];

describe.each(layouts)("leftovers of a deleted conversation, in tables %s", (_name, partitions) => {
  it.each(["appendMessages", "storeMessages"] as const)(
    "don't appear in the next one with its id, created by %s",
    async (write) => {
      const schema = schemaOf();
      await useClient(async (client) => {
        const provider = await createProvider({ schema, ...partitions }, client);
        await provider.appendMessages("c", secret, hers, key);
        await client.query(`SET session_replication_role = replica; DELETE FROM "${schema}".conversations;
          SET session_replication_role = origin`);
        expect(await provider[write]("c", hello, { userId: "him" }, key)).toMatchObject({ success: true });
        expect(await provider.getConversation("c")).toMatchObject({
          data: { userId: "him", messages: hello, metadata: { totalMessages: 1 } },
        });
        expect(await provider.getRecentMessages("c")).toMatchObject({ data: hello });
        expect(await provider.findConversations({ traceId: "her trace" })).toMatchObject({ data: [] });
        expect(await provider[write]("c", hello, { userId: "him" }, key)).toMatchObject({ success: true });
        expect(await provider.getConversation("c")).toMatchObject({ data: { messages: hello } });
      });
    },
  );

  it("a row with a number outside of the conversation's is not read", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const provider = await createProvider({ schema, ...partitions }, client);
      await provider.appendMessages("c", [...secret, ...hello], {}, { maxMessages: 1 });
      await client.query(`INSERT INTO "${schema}".conversations_messages
        SELECT 'c', seq, '{"role":"user","content":"secret"}', false FROM unnest(ARRAY[-1, 0, 1, 2, 4, 5]) AS seq`);
      expect(await provider.getConversation("c")).toMatchObject({ data: { messages: hello } });
      expect(await provider.getRecentMessages("c")).toMatchObject({ data: hello });
      expect(await provider.findConversations({})).toMatchObject({ data: [{ messages: hello }] });
      const view = await client.query(`SELECT messages FROM "${schema}".conversations_with_messages`);
      expect(view.rows).toEqual([{ messages: hello }]);
    });
  });
});

it("a new conversation can be created by a role that can't delete", async () => {
  const [schema, role] = [schemaOf(), freshSchema()];
  await useClient(async (client) => {
    const provider = await createProvider({ schema }, client);
    await client.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA "${schema}" TO ${role};
      GRANT DELETE ON "${schema}".conversations TO ${role}; SET ROLE ${role}`);
    expect(await provider.appendMessages("c", hello, hers)).toMatchObject({ success: true });
  });
  await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

describe("a policy that hides messages even from their owner", () => {
  it("refuses to delete a conversation rather than leaving its messages", async () => {
    const [schema, role] = [schemaOf(), freshSchema()];
    await runSql(`CREATE ROLE ${role}; CREATE SCHEMA "${schema}" AUTHORIZATION ${role}`);
    await useClient(async (client) => {
      await client.query(`SET ROLE ${role}`);
      const provider = await createProvider({ schema }, client);
      await provider.appendMessages("c", secret, hers);
      await client.query(`ALTER TABLE "${schema}".conversations_messages ENABLE ROW LEVEL SECURITY;
        ALTER TABLE "${schema}".conversations_messages FORCE ROW LEVEL SECURITY;
        CREATE POLICY none ON "${schema}".conversations_messages USING (false) WITH CHECK (true)`);
      expect(await provider.deleteConversation("c")).toMatchObject({
        error: { _tag: "MemoryStorageError", retryable: false, cause: { code: "42501" } },
      });
      const { rows } = await client.query(`SELECT conversation_id FROM "${schema}".conversations`);
      expect(rows).toEqual([{ conversation_id: "c" }]);
    });
    await dropSchemas([schema]);
    await runSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});

describe("truncating partitions of the conversations by hand", () => {
  const filled = async (): Promise<string> => {
    const schema = schemaOf();
    await useClient(async (client) => {
      const provider = await createProvider({ schema, partitions: 2 }, client);
      for (const id of ["a", "b", "c", "d", "e", "f"]) await provider.appendMessages(id, secret, hers, key);
    });
    return schema;
  };
  const counts = async (schema: string) => {
    const { rows } =
      await runSql(`SELECT (SELECT count(*)::int FROM "${schema}".conversations) AS conversations,
      (SELECT count(*)::int FROM "${schema}".conversations_messages) AS messages,
      (SELECT count(*)::int FROM "${schema}".conversations_traces) AS traces,
      (SELECT count(*)::int FROM "${schema}".conversations_keys) AS keys`);
    return rows[0];
  };

  it("also truncates the dependent rows, and nothing else", async () => {
    const schema = await filled();
    await runSql(`TRUNCATE "${schema}".conversations_p0`);
    const left = await runSql(`SELECT conversation_id AS id FROM "${schema}".conversations ORDER BY 1`);
    expect(left.rowCount).toBeGreaterThan(0);
    expect(left.rowCount).toBeLessThan(6);
    for (const table of ["messages", "traces", "keys"]) {
      const ids = `SELECT DISTINCT conversation_id AS id FROM "${schema}".conversations_${table} ORDER BY 1`;
      expect((await runSql(ids)).rows).toEqual(left.rows);
    }
  });

  it("works for all partitions at the same time, with all dependent rows", async () => {
    const schema = await filled();
    await runSql(`TRUNCATE "${schema}".conversations_p0, "${schema}".conversations_p1`);
    expect(await counts(schema)).toEqual({ conversations: 0, messages: 0, traces: 0, keys: 0 });
  });
});
