import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Statement } from "../../src/client/statement.ts";
import { migrate } from "../../src/index.ts";
import { createAppendStatement } from "../../src/turn-log/append.ts";
import { createReadStatement, createTurnStatements } from "../../src/turn-log/statements.ts";
import { explain } from "../support/plans.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const TURNS = 20_000;
const analyzed = freshSchema();
const unknown = freshSchema();
afterAll(() => dropSchemas([analyzed, unknown]));

/**
 * 20 turns per conversation, 100 per user. The last turn of each conversation is running; one in ten of these is
 * abandoned.
 */
async function fill(schema: string): Promise<void> {
  await useClient(async (client) => {
    await migrate(client, { schema, groups: ["turn-log"] });
    await client.query(`SET search_path = "${schema}"; SET synchronous_commit = off;
      ALTER TABLE conversations_turns SET (autovacuum_enabled = off);
      ALTER TABLE conversations_turn_events SET (autovacuum_enabled = off);
      INSERT INTO conversations_turns (conversation_id, turn_id, user_id, state, token, lease_seconds, keep_seconds,
        lease_ends_at, events, request, started_at, expires_at, due_at)
      SELECT 'c' || n / 20, 't' || n, 'u' || n / 100, CASE WHEN n % 20 = 19 THEN 'running' ELSE 'ended' END, 'token', 60,
        3600, due, 30, 'request', now() + n * interval '1 second', due + interval '1 day', due
      FROM generate_series(0, ${TURNS - 1}) AS n,
        LATERAL (SELECT now() + CASE WHEN n % 200 = 199 THEN -1 ELSE 1 END * (n + 1) * interval '1 second' AS due) AS time
      ORDER BY md5(n::text);
      INSERT INTO conversations_turn_events SELECT conversation_id, turn_id, first, '{a,b,c}'
      FROM conversations_turns, generate_series(0, 27, 3) AS first`);
  });
}

beforeAll(async () => {
  await Promise.all([fill(analyzed), fill(unknown)]);
  await runSql(`ANALYZE "${analyzed}".conversations_turns; ANALYZE "${analyzed}".conversations_turn_events`);
});

describe.each([
  ["analyzed", analyzed],
  ["not analyzed yet", unknown],
])("on tables that were %s", (_, schema) => {
  const names = { tableName: "conversations", schema };
  const statements = createTurnStatements(names, { removesExpired: true });
  const turn = { conversationId: "c7", turnId: "t159" };

  const row = (conversation: number) => ({
    conversation_id: `c${conversation}`,
    turn_id: `t${conversation * 20 + 19}`,
    token: "token",
    first: 30,
    texts: ["x"],
    state: null,
    record: null,
    event_seconds: null,
    record_seconds: null,
  });
  const appendOf = (count: number) => ({
    rows: JSON.stringify(Array.from({ length: count }, (__, at) => row(at))),
  });

  const PKEY = "conversations_turns_pkey";
  const EVENTS = "conversations_turn_events_pkey";

  const begin = {
    ...turn,
    conversationId: "new",
    userId: "u",
    token: "new",
    request: "r",
    leaseSeconds: 60,
    keepSeconds: 60,
  };
  const read = (asked: object) =>
    createReadStatement(names)({
      queries: JSON.stringify([{ conversation_id: "c7", turn_id: null, first: 29, limit: 1_000, ...asked }]),
    });

  const cases: readonly (readonly [string, Statement, readonly string[], number])[] = [
    ["begin", statements.begin(begin), ["idx_conversations_turns_due", "idx_conversations_turns_lease"], 250],
    ["an append", createAppendStatement(names, { waits: true })(appendOf(1)), [PKEY], 10],
    ["a group of appends", createAppendStatement(names, { waits: false })(appendOf(64)), [PKEY], 130],
    ["takeOver", statements.takeOver({ ...turn, token: "x" }), [], 30],
    ["release", statements.release({ ...turn, token: "token" }), [], 30],
    ["requestStop", statements.requestStop(turn), [], 30],
    ["a read of the latest turn", read({}), ["idx_conversations_turns_started", EVENTS], 10],
    ["a read of a turn", read({ turn_id: "t145" }), [PKEY, EVENTS], 10],
    [
      "turnsOf",
      statements.turnsOf({ conversationId: "c7", limit: 5 }),
      ["idx_conversations_turns_started"],
      30,
    ],
    [
      "find",
      statements.find({ userId: "u7", state: "running", limit: 5 }),
      ["idx_conversations_turns_user"],
      30,
    ],
    ["abandoned", statements.abandoned({ limit: 5 }), ["idx_conversations_turns_lease"], 250],
    ["deleteConversation", statements.deleteConversation({ conversationId: "c7" }), [], 30],
    ["deleteUser", statements.deleteUser({ userId: "u7" }), ["idx_conversations_turns_user"], 200],
  ];

  it.each(cases)("%s finds its rows by an index", async (__, statement, indexes, most) => {
    const plan = await explain(statement);
    expect(plan.wholeTables).toEqual([]);
    for (const name of indexes) expect(plan.indexes).toContain(name);
    expect(plan.touched).toBeLessThanOrEqual(most);
  });
});

it("an append changes no index while its turn's lease is still long", async () => {
  const schema = freshSchema();
  try {
    await fill(schema);
    const statement = createAppendStatement({ tableName: "conversations", schema }, { waits: true });
    await useClient(async (client) => {
      for (let first = 30; first < 80; first++) {
        const row = { conversation_id: "c7", turn_id: "t159", token: "token", first, texts: ["x"] };
        const { text, values } = statement({ rows: JSON.stringify([row]) });
        await client.query(text, [...values]);
      }
      // Postgres 13 and 14 don't have the function. They report when half a second has passed.
      await client.query(`DO $$ BEGIN PERFORM pg_stat_force_next_flush();
        EXCEPTION WHEN undefined_function THEN NULL; END $$`);
      const stats = async () =>
        (
          await client.query(`SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS within_page
            FROM pg_stat_user_tables WHERE schemaname = '${schema}' AND relname = 'conversations_turns'`)
        ).rows[0];
      await expect.poll(async () => (await stats()).updates).toBe(50);
      // A full page, since dead versions of rows stay during another transaction, sends a row to the next page.
      expect((await stats()).within_page).toBeGreaterThanOrEqual(40);
    });
  } finally {
    await dropSchemas([schema]);
  }
});
