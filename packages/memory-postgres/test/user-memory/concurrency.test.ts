import type { UserKey, UserMemoryBackend } from "@jaf/user-memory/adapter";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresUserMemory } from "../../src/user-memory/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";
import { createBackend } from "../support/user-memory.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};
const pools: pg.Pool[] = [];
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await dropSchemas(schemas);
});

const levels = ["read committed", "repeatable read", "serializable"] as const;

function poolAt(level: (typeof levels)[number]): pg.Pool {
  const options = `-c default_transaction_isolation=${level.replaceAll(" ", "\\ ")}`;
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 8, options });
  pool.on("error", () => {});
  pools.push(pool);
  return pool;
}

const user: UserKey = { userId: "u", hash: "h".repeat(43) };
const job = (id: string) => ({ user, id, body: `said ${id}` });
const lease = { epoch: 0, leaseMs: 0 };

async function begin(client: pg.Client, level: string): Promise<void> {
  await client.query(`BEGIN ISOLATION LEVEL ${level}`);
}

/** Resolves when a transaction waits for a lock in the schema. */
const someoneWaits = (schema: string) =>
  expect
    .poll(
      async () =>
        (
          await runSql(`SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE NOT granted AND query LIKE '%${schema}%'`)
        ).rowCount,
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0);

describe.each(levels)("on a database with isolation level %s", (level) => {
  it("all of 8 stores that remember at the same time succeed", async () => {
    const schema = schemaOf();
    const pool = poolAt(level);
    const memory = await createPostgresUserMemory({ schema }, pool);
    const facts = Array.from({ length: 8 }, (_, index) => `Owns car number ${index}`);
    await Promise.all(facts.map((fact) => memory.remember("u", fact)));
    expect((await memory.list("u")).map(({ fact }) => fact).sort()).toEqual(facts);
    expect(await memory.verifyAudit("u")).toMatchObject({ ok: true, facts: 8 });
  });

  it("an erasure that waits for the addition of a job also removes it", () =>
    useClient(async (client) => {
      const schema = schemaOf();
      const backend = await createBackend(poolAt(level), { schema });
      const other: UserMemoryBackend = await createBackend(client, { schema });
      await begin(client, level);
      expect(await other.jobs.enqueue(job("j"), lease)).toBe(true);
      const erased = backend.erase(user, { state: "", audit: [] });
      await someoneWaits(schema);
      await client.query("COMMIT");
      expect(await erased).toEqual({ facts: 0, vectors: 0, jobs: 1 });
      expect(await backend.jobs.size()).toBe(0);
    }));

  it("a job that waits for an erasure is refused", () =>
    useClient(async (client) => {
      const schema = schemaOf();
      const backend = await createBackend(poolAt(level), { schema });
      const other = await createBackend(client, { schema });
      await begin(client, level);
      await other.erase(user, { state: "", audit: [] });
      const added = backend.jobs.enqueue(job("j"), lease);
      await someoneWaits(schema);
      await client.query("COMMIT");
      expect(await added).toBe(false);
      expect(await backend.jobs.size()).toBe(0);
    }));

  it("a commit that waits for an erasure is refused, and leaves nothing", () =>
    useClient(async (client) => {
      const schema = schemaOf();
      const backend = await createBackend(poolAt(level), { schema });
      const other = await createBackend(client, { schema });
      await begin(client, level);
      await other.erase(user, { state: "", audit: [] });
      const parts = {
        put: [],
        drop: [],
        tombstones: [{ digest: "d", at: 1 }],
        removedTombstones: [],
        audit: [],
      };
      const head = { version: 1, epoch: 0, state: "" };
      const committed = backend.commit(user, { expectedVersion: 0, head, ...parts });
      await someoneWaits(schema);
      await client.query("COMMIT");
      expect(await committed).toBe(false);
      expect(await backend.read(user, { tombstones: ["d"] })).toMatchObject({
        head: { version: 1, epoch: 1 },
        tombstones: [],
      });
    }));
});

describe("on a client of the application", () => {
  it("a fact that is remembered in a rolled-back transaction is never stored", () =>
    useClient(async (client) => {
      const memory = await createPostgresUserMemory({ schema: schemaOf() }, client);
      await client.query("BEGIN");
      await memory.remember("u", "Likes tea");
      expect(await memory.recall("u", "tea")).toHaveLength(1);
      await client.query("ROLLBACK");
      expect(await memory.list("u")).toEqual([]);
      await memory.remember("u", "Likes coffee");
      expect(await memory.list("u")).toHaveLength(1);
    }));

  it("two concurrent leases get different jobs, and neither waits", () =>
    useClient((client) =>
      useClient(async (second) => {
        const schema = schemaOf();
        const [one, other] = [
          await createBackend(client, { schema }),
          await createBackend(second, { schema }),
        ];
        for (const id of ["a", "b"]) await one.jobs.enqueue(job(id), lease);
        await client.query("BEGIN");
        const options = { leaseMs: 60_000, limit: 1 };
        const [mine] = await one.jobs.lease(options);
        const [theirs] = await other.jobs.lease(options);
        await client.query("COMMIT");
        expect([mine?.id, theirs?.id].sort()).toEqual(["a", "b"]);
        expect(await other.jobs.lease(options)).toEqual([]);
      }),
    ));
});
