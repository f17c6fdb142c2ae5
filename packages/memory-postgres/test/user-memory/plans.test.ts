import type { UserKey } from "@jaf/user-memory/adapter";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Statement } from "../../src/client/statement.ts";
import { createUserMemoryTables } from "../../src/migrations/user-memory.ts";
import { migrate } from "../../src/user-memory/index.ts";
import { createJobStatements } from "../../src/user-memory/jobs.ts";
import { createMatchStatement } from "../../src/user-memory/matching.ts";
import { createReadStatements } from "../../src/user-memory/reads.ts";
import { createWriteStatements } from "../../src/user-memory/writes.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";
import { termKeys } from "../support/user-memory.ts";

const USERS = 20;
const FACTS = 1_000;
const user: UserKey = { userId: "u7", hash: "hash-7" };

const analyzed = freshSchema();
const unknown = freshSchema();
afterAll(() => dropSchemas([analyzed, unknown]));

/** Each fact has one term of its own, and one that it shares with nine other facts of its user. */
async function fill(schema: string): Promise<void> {
  await useClient(async (client) => {
    await migrate(client, { schema });
    await client.query(`SET search_path = "${schema}"; SET synchronous_commit = off;
      ALTER TABLE user_memory_facts SET (autovacuum_enabled = off);
      ALTER TABLE user_memory_jobs SET (autovacuum_enabled = off);
      INSERT INTO user_memory_heads SELECT 'hash-' || u, 1, 0, '', ${FACTS} FROM generate_series(1, ${USERS}) AS u;
      INSERT INTO user_memory_jobs SELECT 'hash-' || n % ${USERS}, 'job-' || n, 'u', '{}', 1, n
        FROM generate_series(1, 5000) AS n`);
    const rows = `SELECT 'hash-' || u AS user_hash, 'u' || u AS user_id, seq, u || '-id-' || seq AS id, 'A fact' AS fact,
        'digest-' || seq AS digest, CASE WHEN seq > 500 THEN 'same' WHEN seq % 2 = 0 THEN 'key-' || seq END AS key,
        'c' || seq / 10 AS conversation_id, seq % 10 AS position,
        CASE WHEN seq % 100 = 0 THEN 'quarantined' WHEN seq > 500 OR seq % 2 = 0 THEN 'superseded' ELSE 'active' END AS status,
        CASE WHEN seq % 2 = 0 THEN u || '-id-' || (seq + 1) END AS superseded_by
      FROM generate_series(1, ${USERS}) AS u, generate_series(1, ${FACTS}) AS seq ORDER BY md5(u || ':' || seq)`;
    await client.query(`INSERT INTO "${schema}".user_memory_facts (user_hash, user_id, seq, id, fact, digest, key,
        conversation_id, position, status, superseded_by, tags, trust, created_at, valid_from, terms, weights, term_keys)
      SELECT user_hash, user_id, seq, id, fact, digest, key, conversation_id, position, status, superseded_by, '{}',
        'stated', 0, 0, '{a,b}', '{1,1}', ARRAY[hashtextextended(user_hash || seq, 0),
        CASE WHEN user_hash = '${user.hash}' AND seq / 10 = 3 THEN ${termKeys(user, ["shared"])[0]}
          ELSE hashtextextended(user_hash || '-' || seq / 10, 0) END] FROM (${rows}) AS facts`);
  });
}

beforeAll(async () => {
  await Promise.all([fill(analyzed), fill(unknown)]);
  await runSql(`ANALYZE "${analyzed}".user_memory_facts; ANALYZE "${analyzed}".user_memory_jobs`);
});

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Plan Rows": number;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

// So few rows that reading them all is as good as an index.
const SMALL = new Set<unknown>(["user_memory_heads", "user_memory_fact_tombstones"]);

/** Runs in a transaction that is rolled back. */
async function explain({ text, values }: Statement, before?: string) {
  const { rows } = await useClient(async (client) => {
    await client.query("BEGIN");
    if (before !== undefined) await client.query(before);
    return client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
  });
  const nodes = nodesOf(rows[0]["QUERY PLAN"][0].Plan).filter((node) => !SMALL.has(node["Relation Name"]));
  return {
    indexes: new Set(nodes.flatMap((node) => node["Index Name"] ?? [])),
    expected: Math.max(...nodes.map((node) => node["Plan Rows"])),
    wholeTables: nodes
      .filter((node) => node["Node Type"] === "Seq Scan")
      .map((node) => node["Relation Name"]),
    touched: Math.max(
      ...nodes.map(
        (node) =>
          node["Actual Rows"] +
          (node["Rows Removed by Filter"] ?? 0) +
          (node["Rows Removed by Index Recheck"] ?? 0),
      ),
    ),
  };
}

const tablesOf = (schema: string) => createUserMemoryTables({ tableName: "user_memory", schema });

describe.each([
  ["analyzed", analyzed],
  ["never analyzed", unknown],
])("in tables that were %s", (_name, schema) => {
  it("a match reads only the user's documents with a term", async () => {
    const plan = await explain(createMatchStatement(tablesOf(schema))(user, ["shared", "absent"]));
    expect([...plan.indexes]).toContain("idx_user_memory_facts_terms");
    expect(plan.wholeTables).toEqual([]);
    expect(plan.touched).toBeLessThanOrEqual(10);
    expect(plan.expected, "a share of all users' facts would grow with them").toBeLessThanOrEqual(5);
  });

  it.each([
    ["numbers", { seqs: [1, 50, 999] }, 3],
    ["ids", { ids: ["7-id-1", "7-id-50", "none"] }, 2],
    ["digests", { digests: ["digest-8"] }, 1],
    ["keys", { keys: ["key-8", "key-9"] }, 1],
    ["locations", { locations: [{ conversationId: "c5", position: 3 }] }, 1],
    ["successors", { supersededBy: ["7-id-9"] }, 1],
    ["all of them", { seqs: [1], ids: ["7-id-50"], digests: ["digest-8"], keys: ["key-10"] }, 4],
  ])("a read by %s touches its results, and little more", async (_names, selection, found) => {
    const plan = await explain(createReadStatements(tablesOf(schema)).read(user, selection, ["none"]));
    expect(plan.wholeTables).toEqual([]);
    expect(plan.touched).toBeLessThanOrEqual(3 * found + 3);
  });

  it.each([["active"], ["quarantined"], ["active", "quarantined", "superseded"]] as const)(
    "a page of %s facts is read from an index",
    async (...statuses) => {
      const page = { statuses, before: 900, limit: 10 };
      const plan = await explain(createReadStatements(tablesOf(schema)).list(user, page));
      expect([...plan.indexes]).toEqual(["idx_user_memory_facts_status"]);
      expect(plan.touched).toBeLessThanOrEqual(10 * statuses.length);
    },
  );

  it("a commit touches only the rows that it writes", async () => {
    const names = { tableName: "user_memory", schema };
    const plan = await explain(
      createWriteStatements(names, false).commit(user, {
        expectedVersion: 1,
        head: { version: 2, epoch: 0, state: "" },
        put: [],
        drop: [],
        tombstones: [{ digest: "d", at: 1 }],
        removedTombstones: ["e"],
        audit: [{ seq: 1, body: "" }],
      }),
    );
    expect(plan.wholeTables).toEqual([]);
    expect(plan.touched).toBeLessThanOrEqual(2);
  });

  it("a lease finds due jobs by an index, and takes no more than it returns", async () => {
    const { lease } = createJobStatements(tablesOf(schema));
    const plan = await explain(lease({ inMs: 9_000, limit: 5 }));
    expect([...plan.indexes]).toContain("idx_user_memory_jobs_ready_at");
    expect(plan.touched).toBeLessThanOrEqual(5);
    const handedOut = `UPDATE "${schema}".user_memory_jobs SET ready_at = ready_at + 1e14`;
    expect((await explain(lease({ inMs: 9_000, limit: 5 }), handedOut)).touched).toBeLessThanOrEqual(1);
  });
});

// A prepared statement keeps the plan that was made for an empty table, as long as nothing is analyzed.
it("in an empty table, each lookup gets its own index", async () => {
  const schema = freshSchema();
  await useClient((client) => migrate(client, { schema }));
  const { read } = createReadStatements(tablesOf(schema));
  const indexesOf = async (selection: Parameters<typeof read>[1]) => [
    ...(await explain(read(user, selection, []))).indexes,
  ];
  const primary = "user_memory_facts_pkey";
  expect(await indexesOf({ seqs: [1, 2] })).toEqual([primary]);
  const lookups = {
    id: { ids: ["a", "b"] },
    digest: { digests: ["a", "b"] },
    key: { keys: ["a", "b"] },
    place: { locations: [{ conversationId: "c", position: 1 }] },
    superseder: { supersededBy: ["a", "b"] },
  };
  for (const [name, selection] of Object.entries(lookups)) {
    expect((await indexesOf(selection)).sort()).toEqual([`idx_user_memory_facts_${name}`, primary]);
  }
  await dropSchemas([schema]);
});

// Before that, the planner considers the index of active facts as good.
it("a read by current keys doesn't touch the history of a key after its table was analyzed", async () => {
  const selection = { currentKeys: ["same", "key-9"] };
  const plan = await explain(createReadStatements(tablesOf(analyzed)).read(user, selection, []));
  expect([...plan.indexes]).toContain("idx_user_memory_facts_key");
  expect(plan.touched).toBeLessThanOrEqual(2);
});
