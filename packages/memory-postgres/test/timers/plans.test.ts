import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Statement } from "../../src/client/statement.ts";
import { migrate } from "../../src/index.ts";
import { createTimerStatements } from "../../src/timers/statements.ts";
import { explain } from "../support/plans.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const TIMERS = 20_000;
const analyzed = freshSchema();
const unknown = freshSchema();
afterAll(() => dropSchemas([analyzed, unknown]));

/** 10 timers per conversation, 100 per user. One in a thousand is due. */
async function fill(schema: string): Promise<void> {
  await useClient(async (client) => {
    await migrate(client, { schema, groups: ["timers"] });
    await client.query(`SET search_path = "${schema}";
      ALTER TABLE conversations_timers SET (autovacuum_enabled = off);
      INSERT INTO conversations_timers (conversation_id, timer_id, user_id, place, at_ms, content)
      SELECT 'c' || n / 10, 't' || n, 'u' || n / 100, n % 100 + 1,
        CASE WHEN n % 1000 = 999 THEN n ELSE 253402300799999 - n END, 'content'
      FROM generate_series(0, ${TIMERS - 1}) AS n ORDER BY md5(n::text)`);
  });
}

beforeAll(async () => {
  await Promise.all([fill(analyzed), fill(unknown)]);
  await runSql(`ANALYZE "${analyzed}".conversations_timers`);
});

describe.each([
  ["analyzed", analyzed],
  ["not analyzed yet", unknown],
])("on a table that was %s", (_, schema) => {
  const statements = createTimerStatements({ tableName: "conversations", schema });
  const [name, fromMs] = [{ conversationId: "c7", timerId: "t71" }, 253402300799999 - 71];
  const set = { ...name, userId: "u0", atMs: 5, content: "x" };
  const [PKEY, USER, DUE] = [
    "conversations_timers_pkey",
    "idx_conversations_timers_user",
    "idx_conversations_timers_due",
  ];

  // Indexes also have entries of sets that were rolled back. A set goes through the 1,000 places that a user has.
  const cases: readonly (readonly [string, Statement, readonly string[], number])[] = [
    ["a set of a new timer", statements.set({ ...set, timerId: "new" }), [PKEY, USER], 1_000],
    ["a set of a user's own timer", statements.set(set), [PKEY], 1_000],
    ["a set of another user's timer", statements.set({ ...set, userId: "u5" }), [PKEY, USER], 1_000],
    ["due", statements.due({ limit: 100 }), [DUE], 20],
    ["due with a limit", statements.due({ limit: 5 }), [DUE], 5],
    ["find", statements.find({ userId: "u0", limit: 5 }), [USER], 110],
    [
      "a find in a conversation",
      statements.findIn({ userId: "u0", conversationId: "c7", limit: 5 }),
      [],
      110,
    ],
    ["an advance", statements.move({ ...name, fromMs, atMs: 5 }), [PKEY], 10],
    ["an advance to the end", statements.end({ ...name, fromMs }), [PKEY], 10],
    ["remove", statements.remove(name), [PKEY], 10],
    ["deleteConversation", statements.deleteConversation({ conversationId: "c7" }), [PKEY], 20],
    ["deleteUser", statements.deleteUser({ userId: "u0" }), [USER], 110],
  ];

  it.each(cases)("%s finds its rows by an index", async (__, statement, indexes, most) => {
    const plan = await explain(statement);
    expect(plan.wholeTables).toEqual([]);
    for (const index of indexes) expect(plan.indexes).toContain(index);
    expect(plan.touched).toBeLessThanOrEqual(most);
  });
});
