import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Statement } from "../../src/client/statement.ts";
import { createInboxStatements } from "../../src/inbox/statements.ts";
import { migrate } from "../../src/index.ts";
import { explain } from "../support/plans.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const INBOXES = 5_000;
const EPOCH = "00000000-0000-4000-8000-000000000000";
const analyzed = freshSchema();
const unknown = freshSchema();
afterAll(() => dropSchemas([analyzed, unknown]));

/**
 * 50 inboxes per user, and 10 entries in each inbox. The first 5 were removed, the others wait. One inbox in ten is
 * empty. The keys of one in a hundred aren't known any more.
 */
async function fill(schema: string): Promise<void> {
  await useClient(async (client) => {
    await migrate(client, { schema, groups: ["inbox"] });
    await client.query(`SET search_path = "${schema}"; SET synchronous_commit = off;
      ALTER TABLE conversations_inboxes SET (autovacuum_enabled = off);
      ALTER TABLE conversations_inbox_entries SET (autovacuum_enabled = off);
      INSERT INTO conversations_inboxes (conversation_id, user_id, epoch, version, entries, since, known_until)
      SELECT 'c' || n, 'u' || n / 50, '${EPOCH}', 10, CASE WHEN n % 10 = 9 THEN 0 ELSE 5 END,
        CASE WHEN n % 10 = 9 THEN NULL ELSE now() - n * interval '1 second' END,
        now() + CASE WHEN n % 100 = 99 THEN -1 ELSE 1 END * n * interval '1 second'
      FROM generate_series(0, ${INBOXES - 1}) AS n ORDER BY md5(n::text);
      INSERT INTO conversations_inbox_entries (conversation_id, key, number, content, put_at)
      SELECT conversation_id, 'k' || number, number, CASE WHEN number > 5 AND since IS NOT NULL THEN 'content' END,
        known_until - interval '1 day'
      FROM conversations_inboxes, generate_series(1, 10) AS number`);
  });
}

beforeAll(async () => {
  await Promise.all([fill(analyzed), fill(unknown)]);
  await runSql(
    `ANALYZE "${analyzed}".conversations_inboxes; ANALYZE "${analyzed}".conversations_inbox_entries`,
  );
});

describe.each([
  ["analyzed", analyzed],
  ["not analyzed yet", unknown],
])("on tables that were %s", (_, schema) => {
  const statements = createInboxStatements({ tableName: "conversations", schema }, { forgets: true });
  const entry = { conversationId: "c77", userId: "u1", key: "new", content: "x" };
  const place = { conversationId: "c77", epoch: EPOCH, number: 8 };

  const PKEY = "conversations_inboxes_pkey";
  const ENTRIES = "conversations_inbox_entries_pkey";
  const WAITING = "idx_conversations_inbox_waiting";
  const USER = "idx_conversations_inboxes_user";
  const forgetting = ["idx_conversations_inbox_removed", "idx_conversations_inboxes_known"];

  // Without statistics, a put sorts all 500 keys that aren't known any more.
  const cases: readonly (readonly [string, Statement, readonly string[], number])[] = [
    ["a put", statements.put(entry), [PKEY, ENTRIES, ...forgetting], 600],
    ["a put into a new inbox", statements.put({ ...entry, conversationId: "new" }), [PKEY], 600],
    ["a put of another user", statements.put({ ...entry, userId: "u9" }), [PKEY, ENTRIES], 600],
    ["a put of a known key", statements.put({ ...entry, key: "k7" }), [PKEY, ENTRIES], 20],
    ["a read", statements.read({ ...place, limit: 100 }), [PKEY, WAITING], 20],
    ["a removal", statements.remove(place), [PKEY, WAITING], 20],
    ["waiting", statements.waiting({ limit: 5 }), ["idx_conversations_inboxes_since"], 10],
    ["waiting of a user", statements.waitingOf({ userId: "u1", limit: 5 }), [USER], 10],
    ["deleteConversation", statements.deleteConversation({ conversationId: "c77" }), [PKEY], 20],
    ["deleteUser", statements.deleteUser({ userId: "u1" }), [USER], 110],
  ];

  it.each(cases)("%s finds its rows by an index", async (__, statement, indexes, most) => {
    const plan = await explain(statement);
    expect(plan.wholeTables).toEqual([]);
    for (const index of indexes) expect(plan.indexes).toContain(index);
    expect(plan.touched).toBeLessThanOrEqual(most);
  });
});
