import type { ConversationQuery, ReadRequest, StoredSelection } from "@jaf/memory/adapter";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Statement } from "../../src/client/statement.ts";
import { createQueries } from "../../src/conversations/backend.ts";
import { createBatchQueries } from "../../src/conversations/erasure.ts";
import { createReadQueries } from "../../src/conversations/read.ts";
import { migrate } from "../../src/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const CONVERSATIONS = 20_000;
const DAY_MS = 86_400_000;
const BEFORE = new Date(Date.now() - 50 * DAY_MS);

const analyzed = freshSchema();
const unknown = freshSchema();
/** All conversations in it were active at the same time. */
const equal = freshSchema();
afterAll(() => dropSchemas([analyzed, unknown, equal]));

/** 100 conversations per user and two per trace; a quarter have a time to live. */
async function fill(schema: string): Promise<void> {
  await useClient(async (client) => {
    await migrate(client, { schema });
    await client.query(`SET search_path = "${schema}";
      ALTER TABLE conversations SET (autovacuum_enabled = off);
      ALTER TABLE conversations_traces SET (autovacuum_enabled = off);
      INSERT INTO conversations (conversation_id, user_id, last_activity, expires_at)
      SELECT 'c' || id, 'u' || id % ${CONVERSATIONS / 100}, now() - id * interval '7 minutes',
        CASE WHEN id % 4 = 0 THEN now() + interval '1 year' - id * interval '20 minutes' END
      FROM generate_series(1, ${CONVERSATIONS}) AS id ORDER BY md5(id::text);
      INSERT INTO conversations_traces SELECT conversation_id, 't' || right(conversation_id, -1)::int / 2
      FROM conversations`);
  });
}

beforeAll(async () => {
  await Promise.all([fill(analyzed), fill(unknown)]);
  await runSql(`ANALYZE "${analyzed}".conversations; ANALYZE "${analyzed}".conversations_traces`);
});

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

function describePlan(plan: Plan) {
  const nodes = nodesOf(plan);
  return {
    nodes: nodes.map((node) => node["Node Type"]),
    indexes: nodes.flatMap((node) => node["Index Name"] ?? []),
    touched: Math.max(...nodes.map((node) => node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0))),
  };
}

async function explain({ text, values }: Statement) {
  const { rows } = await useClient((client) =>
    client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]),
  );
  return describePlan(rows[0]["QUERY PLAN"][0].Plan);
}

const find = (schema: string, query: Partial<ConversationQuery>) => {
  const queries = createQueries({ tableName: "conversations", schema }, 1_000_000);
  return explain(queries.find({ offset: 0, includeMessages: false, limit: 10, ...query }));
};

const cursor = { lastActivity: BEFORE, conversationId: "c7" };

const listings: readonly (readonly [string, Partial<ConversationQuery>, string])[] = [
  ["of a user", { userId: "u7" }, "idx_conversations_user_id"],
  ["of a user, from a cursor on", { userId: "u7", cursor }, "idx_conversations_user_id"],
  ["of a user, since a time", { userId: "u7", since: BEFORE }, "idx_conversations_user_id"],
  ["since a time", { since: BEFORE }, "idx_conversations_last_activity"],
  ["until a time", { until: BEFORE }, "idx_conversations_last_activity"],
  ["from a cursor on", { cursor }, "idx_conversations_last_activity"],
  ["of all", {}, "idx_conversations_last_activity"],
];

describe("a page of conversations", () => {
  describe.each([
    ["analyzed", analyzed],
    ["never analyzed", unknown],
  ])("in tables that were %s", (_name, schema) => {
    it.each(listings)("%s is read from an index", async (_name, query, index) => {
      const plan = await find(schema, query);
      expect(plan.indexes).toEqual([index]);
      // Without statistics, all conversations of the user may be read and sorted.
      const isSorted = schema === unknown && query.userId !== undefined;
      const reading = isSorted ? /^Seq Scan$/ : /^(Seq|Bitmap Heap) Scan$/;
      expect(plan.nodes.filter((node) => reading.test(node))).toEqual([]);
      expect(plan.touched).toBeLessThanOrEqual(isSorted ? CONVERSATIONS / 200 : 10);
    });
  });

  it("touches no more rows if all were active at the same time, e.g. after an import", async () => {
    await useClient((client) => migrate(client, { schema: equal }));
    await runSql(`INSERT INTO "${equal}".conversations (conversation_id, last_activity)
      SELECT 'c' || n, '${BEFORE.toISOString()}' FROM generate_series(1, ${CONVERSATIONS}) AS n`);
    for (const query of [{}, { cursor: { ...cursor, conversationId: "c1500" } }])
      expect((await find(equal, query)).touched).toBe(10);
  });

  it.each([
    ["analyzed", analyzed],
    ["never analyzed", unknown],
  ])("of a trace looks up only its conversations, in tables that were %s", async (_name, schema) => {
    for (const query of [{}, { limit: 1 }, { userId: "u7" }, { since: BEFORE }, { cursor }]) {
      const plan = await find(schema, { traceId: "t77", ...query });
      expect(plan.indexes).toEqual(["idx_conversations_trace_id", "conversations_pkey"]);
      expect(plan.touched).toBeLessThanOrEqual(2);
      expect((await find(schema, { traceId: "none", ...query })).touched).toBe(0);
    }
  });
});

describe("a family of conversations", () => {
  beforeAll(async () => {
    const analyzing = async (schema: string) => {
      await runSql(`SET search_path = "${schema}";
        INSERT INTO conversations (conversation_id, user_id, parent_id, last_activity)
        SELECT 'child' || n, 'u7', 'c7', now() + n * interval '1 second' FROM generate_series(1, 5000) AS n`);
      if (schema === analyzed) await runSql(`ANALYZE "${schema}".conversations`);
    };
    await Promise.all([analyzed, unknown].map(analyzing));
  });

  describe.each([
    ["analyzed", analyzed],
    ["never analyzed", unknown],
  ])("in tables that were %s", (_name, schema) => {
    it("lists children by their parent, in the order of the index", async () => {
      const plan = await find(schema, { childrenOf: "c7" });
      expect(plan.indexes).toEqual(expect.arrayContaining(["idx_conversations_parent_id"]));
      expect(plan.nodes).not.toContain("Seq Scan");
      if (schema === analyzed) expect(plan.touched).toBeLessThanOrEqual(10);
    });

    it("doesn't slow down the list of the user's conversations", async () => {
      const plan = await find(schema, { userId: "u7" });
      expect(plan.indexes).toEqual(["idx_conversations_user_id"]);
      expect(plan.touched).toBeLessThanOrEqual(100);
    });

    it("is found by its owner when it is cleared", async () => {
      const queries = createBatchQueries({ tableName: "conversations", schema });
      const plan = await explain(queries.listOwn("u8", "children", { after: "", limit: 1_000 }));
      expect(plan.indexes).toEqual(["idx_conversations_user_id"]);
      expect(plan.touched).toBeLessThanOrEqual(100);
    });
  });
});

describe("a whole conversation", () => {
  it.each([
    ["analyzed", analyzed],
    ["never analyzed", unknown],
  ])("of 10,000 messages doesn't need a compiled query, in tables that were %s", async (name, schema) => {
    await runSql(`ALTER TABLE "${schema}".conversations_messages SET (autovacuum_enabled = off);
      INSERT INTO "${schema}".conversations_messages (conversation_id, seq, body, is_tool_result)
      SELECT 'c1', seq, repeat('x', 400), false FROM generate_series(1, 10000) AS seq;
      UPDATE "${schema}".conversations SET version = 1, last_seq = 10000, total_messages = 10000 WHERE conversation_id = 'c1'`);
    if (name === "analyzed") await runSql(`ANALYZE "${schema}".conversations_messages`);
    const queries = createReadQueries({ tableName: "conversations", schema }, 1_000_000_000);
    const { text, values } = queries.read({ conversationId: "c1", messages: { kind: "all" } });
    const { cost, limit } = await useClient(async (client) => {
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
      const { rows: settings } = await client.query("SHOW jit_above_cost");
      return { cost: rows[0]["QUERY PLAN"][0].Plan["Total Cost"], limit: Number(settings[0].jit_above_cost) };
    });
    expect(cost).toBeLessThan(limit / 4);
  });
});

describe("a part of a conversation of 10,000 messages", () => {
  const read = (schema: string, request: Omit<ReadRequest, "conversationId">) =>
    explain(
      createReadQueries({ tableName: "conversations", schema }, 1_000_000).read({
        conversationId: "long",
        ...request,
      }),
    );

  const parts: readonly (readonly [string, StoredSelection, number, string])[] = [
    ["its end", { kind: "last", limit: 20 }, 20, "conversations_messages_pkey"],
    ["a range", { kind: "range", after: 5_000, limit: 20 }, 20, "conversations_messages_pkey"],
    ["earlier messages", { kind: "range", before: 5_000, limit: 20 }, 20, "conversations_messages_pkey"],
    ["a span", { kind: "range", after: 4_999, before: 5_020 }, 20, "conversations_messages_pkey"],
    ["the beginning", { kind: "range", before: 20 }, 20, "conversations_messages_pkey"],
    ["a message", { kind: "message", messageId: "m5000" }, 1, "idx_conversations_messages_own_id"],
  ];

  describe.each([
    ["analyzed", analyzed],
    ["never analyzed", unknown],
  ])("in tables that were %s", (name, schema) => {
    beforeAll(async () => {
      await runSql(`SET search_path = "${schema}";
        INSERT INTO conversations (conversation_id, version, last_seq, total_messages) VALUES ('long', 1, 10000, 10000);
        INSERT INTO conversations_messages (conversation_id, seq, body, is_tool_result, message_id, message_hash)
        SELECT 'long', seq, repeat('x', 400), false, 'm' || seq, 'h' FROM generate_series(1, 10000) AS seq;
        INSERT INTO conversations_keys SELECT 'long', 'k' || n, 'h', n, n FROM generate_series(1, 1000) AS n`);
      if (name === "analyzed") await runSql(`ANALYZE "${schema}".conversations_messages`);
    });

    it.each(parts)("reading %s uses only an index", async (_part, messages, count, index) => {
      const plan = await read(schema, { messages });
      expect(plan.indexes).toEqual(expect.arrayContaining(["conversations_pkey", index]));
      expect(plan.touched).toBe(count);
    });

    it("without messages but with a receipt reads one row of each table", async () => {
      const plan = await read(schema, { messages: { kind: "none" }, receiptFor: "k7" });
      expect(plan.indexes).toEqual(["conversations_pkey", "conversations_keys_pkey"]);
      expect(plan.touched).toBe(1);
    });
  });
});

describe("the documented SQL", () => {
  it.each([
    ["user_id = $1", "idx_conversations_user_id"],
    ["user_id = $1 AND parent_id IS NULL ORDER BY last_activity DESC LIMIT 10", "idx_conversations_user_id"],
    ["last_activity >= $1::timestamptz", "idx_conversations_last_activity"],
    [
      "conversation_id IN (SELECT conversation_id FROM conversations_traces WHERE trace_id = $1)",
      "idx_conversations_trace_id",
    ],
  ])("WHERE %s uses its index, also if prepared for any value", async (condition, index) => {
    const plan = await useClient(async (client) => {
      await client.query(`SET search_path = "${analyzed}"; SET plan_cache_mode = force_generic_plan;
        PREPARE documented(text) AS SELECT conversation_id FROM conversations WHERE ${condition}`);
      return client.query("EXPLAIN EXECUTE documented('2000-01-01')");
    });
    expect(JSON.stringify(plan.rows)).toContain(index);
  });
});

describe("the figures of a user", () => {
  it.each([analyzed, unknown])("touch only that user's conversations", async (schema) => {
    const queries = createQueries({ tableName: "conversations", schema }, 1_000_000);
    expect((await explain(queries.stats("u7"))).touched).toBeLessThanOrEqual(100);
  });
});

describe("due deletions", () => {
  it.each([analyzed, unknown])("are found by an index if nothing is due", async (schema) => {
    const queries = createBatchQueries({ tableName: "conversations", schema });
    const expired = await explain(queries.listDue("expired", undefined, 100));
    expect(expired).toMatchObject({ indexes: ["idx_conversations_expires_at"], touched: 0 });
    const old = await explain(queries.listDue({ olderThanDays: 1_000 }, undefined, 100));
    expect(old).toMatchObject({ indexes: ["idx_conversations_last_activity"], touched: 0 });
  });
});
