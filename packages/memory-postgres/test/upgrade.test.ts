import type { ConversationMemory, Result } from "@jaf/memory";
import { messageHash } from "@jaf/memory/adapter";
import type pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { migrate } from "../src/index.ts";
import { conversationMigrations } from "../src/migrator/conversations.ts";
import { transactionScript } from "../src/migrator/migrate.ts";
import { createProvider } from "./support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "./support/stores.ts";

const schemas: string[] = [];

afterAll(() => dropSchemas(schemas));

/** The tables as they were before an append left the indexes as they are, which is migration 7. */
async function oldTables(partitions?: number): Promise<string> {
  const schema = freshSchema();
  schemas.push(schema);
  const migrations = conversationMigrations.migrations.slice(0, 7);
  await runSql(
    transactionScript(
      { ...conversationMigrations, migrations },
      { schema, tableName: "conversations", partitions },
    ),
  );
  return schema;
}

interface OldWrite {
  readonly id: string;
  readonly metadata: object;
  readonly expectedVersion?: number;
  readonly bodies?: readonly string[];
  readonly user?: string;
  readonly ttl?: number | null;
}

const say = (content: string): string => JSON.stringify({ role: "user", content });

/** As a process of then writes. */
async function oldWrite(client: pg.Client, schema: string, write: OldWrite): Promise<unknown> {
  const { id, metadata, expectedVersion = null, bodies = [say(id)], user = "u", ttl = null } = write;
  const { rows } = await client.query(
    `SELECT "${schema}".conversations_write($1, false, $2::text[], $3::boolean[], 0, $4, $5, $6::text::jsonb, $7,
      NULL, NULL, NULL, $8, $9, 'hash', NULL, $10, NULL) AS outcome`,
    [
      ...[
        id,
        bodies,
        bodies.map(() => false),
        user,
        `trace of ${id}`,
        JSON.stringify(metadata),
        expectedVersion,
      ],
      ...[crypto.randomUUID(), crypto.randomUUID(), ttl],
    ],
  );
  return rows[0]?.outcome;
}

const note = (sign: number) => ({ traceId: `t${sign}`, jaf: { turn: { id: "run", sign, until: 0 } } });

describe("tables of before that are brought up to date", () => {
  it.each([undefined, 3])("keep everything, in %s parts", async (partitions) => {
    const schema = await oldTables(partitions);
    await useClient(async (client) => {
      const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
      for (const [index, id] of ids.entries()) {
        const metadata = { title: id, "jaf's": 1, jaffa: 2, jafSummary: { text: "s" }, ...note(1) };
        await oldWrite(client, schema, { id, metadata, ttl: index % 2 === 0 ? 3_600 : null });
        await oldWrite(client, schema, { id, metadata: { more: true, ...note(2) }, expectedVersion: 1 });
      }
      const columns = `conversation_id, user_id, created_at, updated_at, last_activity, version, metadata_version, last_seq,
        total_messages, writes, ttl_seconds, expires_at, incarnation`;
      const select = (metadata: string) =>
        client.query(`SELECT ${columns}, ${metadata} AS metadata FROM "${schema}".conversations ORDER BY 1`);
      const { rows: before } = await select("metadata");
      await migrate(client, { schema });
      const { rows: after } = await select("metadata || run_metadata");
      expect(after).toHaveLength(ids.length);
      expect(after).toEqual(before);
      const provider = await createProvider({ schema }, client);
      const found = await provider.findConversations({ userId: "u", limit: 100 });
      expect(found.success && found.data.map(({ conversationId }) => conversationId).sort()).toEqual(
        ids.sort(),
      );
    });
  });

  it("have digests of what is written from then on", async () => {
    const schema = await oldTables();
    await useClient(async (client) => {
      await oldWrite(client, schema, { id: "c", metadata: {} });
      await oldWrite(client, schema, { id: "c", metadata: {}, expectedVersion: 1 });
      await migrate(client, { schema });
      const provider = await createProvider({ schema }, client);
      const verified = (messages: number, unchecked: number) => ({
        data: { intact: true, messages, unchecked },
      });
      expect(await provider.verifyConversation("c")).toMatchObject(verified(2, 2));
      const { metadata } = expectFound(await provider.getConversation("c"));
      expect(metadata).not.toHaveProperty("historyDigest");
      await provider.appendMessages("c", [{ role: "user", content: "new" }], {}, { expectedVersion: 2 });
      expect(await provider.verifyConversation("c")).toMatchObject(verified(3, 2));
      await provider.appendMessages("c", [], {}, { dropLast: 2 });
      await provider.appendMessages("c", [{ role: "user", content: "newer" }], {}, { maxMessages: 2 });
      expect(await provider.verifyConversation("c")).toMatchObject(verified(2, 1));
      await provider.appendMessages("c", [{ role: "user", content: "newest" }], {}, { maxMessages: 1 });
      expect(await provider.verifyConversation("c")).toMatchObject(verified(1, 0));
    });
  });

  it("have what a write of before notes that has waited for their locks meanwhile", async () => {
    const schema = await oldTables();
    await useClient(async (old) => {
      await oldWrite(old, schema, { id: "c", metadata: { title: "t", ...note(1) } });
      await useClient(async (client) => {
        await client.query(`BEGIN; LOCK TABLE "${schema}".conversations IN ACCESS EXCLUSIVE MODE`);
        const write = { id: "c", metadata: { title: "u", ...note(2) }, expectedVersion: 1 };
        const written = oldWrite(old, schema, write);
        await expect.poll(() => waitingFor(schema)).toBe(1);
        await migrate(client, { schema });
        await client.query("COMMIT");
        expect(await written).toBe("written");
        const provider = await createProvider({ schema }, client);
        const { metadata } = expectFound(await provider.getConversation("c"));
        expect(metadata).toMatchObject({ title: "u", ...note(2) });
        const { rows } = await client.query(`SELECT metadata, run_metadata FROM "${schema}".conversations`);
        expect(rows).toEqual([{ metadata: { title: "u" }, run_metadata: note(2) }]);
      });
    });
  });

  it("take no group of a process of before, whose messages would have no digests", async () => {
    const schema = freshSchema();
    schemas.push(schema);
    await useClient(async (client) => {
      const provider = await createProvider({ schema }, client);
      await provider.appendMessages("c", [{ role: "user", content: "new" }]);
      const write = { conversation_id: "c", bodies: [say("old")], tool_results: [false], drop_last: 0 };
      const group = JSON.stringify([{ ...write, metadata: {}, run_metadata: {} }]);
      const written = client.query(`SELECT "${schema}".conversations_write_group($1::text::json)`, [group]);
      await expect(written).rejects.toMatchObject({ code: "JF006" });
      expect(await provider.verifyConversation("c")).toMatchObject({
        data: { intact: true, messages: 1, unchecked: 0 },
      });
    });
  });
});

it("a hash that isn't of the message is found, however it came to be stored", async () => {
  const schema = freshSchema();
  schemas.push(schema);
  await useClient(async (client) => {
    const provider = await createProvider({ schema }, client);
    for (const content of ["first", "second", "third"])
      await provider.appendMessages("c", [{ role: "user", content }]);
    const bodies = [say("one"), say("two"), say("three")];
    for (const length of [1, 2, 3]) {
      const batch = bodies.slice(0, length);
      const hashes = batch.map((body, at) => messageHash(at === length - 1 ? "another text" : body));
      const { rows } = await client.query(
        `SELECT "${schema}".conversations_write('c', false, $1::text[], $2::text[], $3::boolean[], 0, NULL, NULL, '{}', '{}',
          NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS outcome`,
        [batch, hashes, batch.map(() => false)],
      );
      expect(rows[0]?.outcome).toMatch(/^written /);
      expect(await provider.verifyConversation("c")).toMatchObject({
        data: { intact: false, position: 2 + length, found: "changed" },
      });
      await provider.appendMessages("c", [], {}, { dropLast: length });
      expect(await provider.verifyConversation("c")).toMatchObject({ data: { intact: true, messages: 3 } });
    }
  });
});

/** How many sessions wait for a lock of the conversations. */
async function waitingFor(schema: string): Promise<number> {
  const { rows } = await runSql(
    `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = '"${schema}".conversations'::regclass`,
  );
  return rows[0].count;
}

function expectFound(result: Result<ConversationMemory | null>): ConversationMemory {
  if (!result.success) throw new Error(result.error.message);
  return result.data ?? expect.fail("there is no such conversation");
}
