import type { UserMemoryStore } from "@jaf/user-memory";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createPostgresUserMemory } from "../../src/user-memory/user-memory.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

const SECRETS = ["ada@example.org", "zanzibar", "quokka", "travelplans", "conversationx"];

const schema = freshSchema();
let client: pg.Client;
let memory: UserMemoryStore;

beforeAll(async () => {
  client = new pg.Client(inject("pgUrl"));
  await client.connect();
  memory = await createPostgresUserMemory({ schema, embed: async () => [[1, 2]] }, client);
});

afterAll(async () => {
  await client.end();
  await dropSchemas([schema]);
});

async function fill(): Promise<void> {
  const userId = "ada@example.org";
  for (let at = 0; at < 40; at++) {
    await memory.remember(userId, `Dreams of Zanzibar ${at}`, {
      ...{ tags: ["travelplans"], key: `quokka-${at}` },
      provenance: { conversationId: "conversationx", position: at, evidence: `a quokka in Zanzibar ${at}` },
    });
  }
  const job = {
    id: "turn",
    userId,
    said: ["I saw a quokka"],
    reply: "In Zanzibar?",
    tags: [],
    threshold: 0.7,
  };
  const since = await memory.mark(userId);
  await memory.queue.enqueue({ ...job, saidAt: new Date(), since }, { leaseMs: 60_000 });
}

/** Returns the secrets that a text contains. */
const found = (text: string): readonly string[] =>
  SECRETS.filter((secret) => text.toLowerCase().includes(secret));

/** The bytes of all tables, indexes and long values of the schema in the server's files. */
async function filesOf(): Promise<string> {
  await client.query("CHECKPOINT");
  const { rows } = await client.query<{ content: Buffer }>(
    `WITH own AS (SELECT c.oid, c.reltoastrelid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind IN ('r', 'i')),
     toast AS (SELECT reltoastrelid AS oid FROM own WHERE reltoastrelid <> 0),
     files AS (SELECT oid FROM own UNION SELECT oid FROM toast
       UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM toast))
     SELECT pg_read_binary_file(pg_relation_filepath(oid)) AS content FROM files`,
    [schema],
  );
  return rows.map(({ content }) => content.toString("latin1")).join("\n");
}

test("statistics hold no sample of users' texts", async () => {
  await fill();
  await client.query(`ANALYZE "${schema}".user_memory_facts, "${schema}".user_memory_jobs`);
  const { rows } = await client.query("SELECT pg_stats::text AS row FROM pg_stats WHERE schemaname = $1", [
    schema,
  ]);
  expect(rows.length).toBeGreaterThan(5);
  expect(found(JSON.stringify(rows))).toEqual([]);
});

test("after forgetAll and a VACUUM FULL, no file of a table or an index has any data of the user", async () => {
  await fill();
  expect(found(await filesOf())).toEqual(SECRETS);
  expect(await memory.forgetAll("ada@example.org")).toMatchObject({ facts: 40, vectors: 40, jobs: 1 });
  const tables = ["facts", "jobs", "fact_tombstones", "audit", "heads"];
  const vacuumed = async () => {
    for (const table of tables) await client.query(`VACUUM FULL "${schema}".user_memory_${table}`);
    return found(await filesOf());
  };
  // It keeps rows that another test's transaction on the same server may still see.
  await expect.poll(vacuumed, { interval: 500 }).toEqual([]);
});
