import type { JobBackend, StoredJob, UserKey } from "@jaf/user-memory/adapter";
import { sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import type { Statement } from "../client/statement.ts";
import { reusable, toStatement } from "../client/statements.ts";
import type { UserMemoryTables } from "../migrations/user-memory.ts";

const hash = sql`${sql.placeholder("hash")}::text`;
const id = sql`${sql.placeholder("id")}::text`;
const epoch = sql`${sql.placeholder("epoch")}::bigint`;
// SQL for the database's time in milliseconds since 1970. In a subquery, the clock is read once, so a condition with it
// can use an index.
const now = sql`(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;
const readyAt = sql`${now} + ${sql.placeholder("inMs")}::bigint`;

export function createJobStatements({ heads, jobs }: UserMemoryTables) {
  // Writes the head without changing it, so an enqueue and an erasure wait for each other. Otherwise, in some isolation
  // levels the erasure would see only the jobs that existed before it waited.
  const enqueue = reusable<"hash" | "id" | "userId" | "body" | "epoch" | "inMs">(sql`
    WITH created AS (
      INSERT INTO ${heads} AS head (user_hash, version, epoch, state, documents)
      SELECT ${hash}, 0, 0, '', 0 WHERE ${epoch} = 0
      ON CONFLICT (user_hash) DO UPDATE SET epoch = head.epoch WHERE head.epoch = 0
      RETURNING 1
    ), present AS (
      UPDATE ${heads} AS head SET epoch = head.epoch
      WHERE head.user_hash = ${hash} AND head.epoch = ${epoch} AND ${epoch} > 0
      RETURNING 1
    ), same AS (
      SELECT FROM created UNION ALL SELECT FROM present
    ), added AS (
      INSERT INTO ${jobs} (user_hash, id, user_id, body, attempts, ready_at)
      SELECT ${hash}, ${id}, ${sql.placeholder("userId")}::text, ${sql.placeholder("body")}::text, 1, ${readyAt}
      WHERE EXISTS (SELECT FROM same)
      ON CONFLICT (user_hash, id) DO NOTHING
      RETURNING 1
    )
    SELECT EXISTS (SELECT FROM added)::text AS added`);

  // A concurrent lease skips the rows that this statement has locked, and never waits.
  const lease = reusable<"inMs" | "limit">(sql`
    WITH due AS (
      SELECT job.user_hash, job.id, job.ready_at FROM ${jobs} AS job WHERE job.ready_at <= ${now}
      ORDER BY job.ready_at LIMIT ${sql.placeholder("limit")}::bigint FOR UPDATE SKIP LOCKED
    ), leased AS (
      UPDATE ${jobs} AS job SET attempts = job.attempts + 1, ready_at = ${readyAt} FROM due
      WHERE job.user_hash = due.user_hash AND job.id = due.id
      RETURNING job.user_hash, job.id, job.user_id, job.body, job.attempts, due.ready_at AS due_at
    )
    SELECT coalesce(json_agg(json_build_object('hash', leased.user_hash, 'userId', leased.user_id, 'id', leased.id,
      'body', leased.body, 'attempts', leased.attempts) ORDER BY leased.due_at), '[]')::text AS jobs
    FROM leased`);

  const complete = reusable<"hash" | "id">(
    sql`DELETE FROM ${jobs} AS job WHERE job.user_hash = ${hash} AND job.id = ${id}`,
  );
  const release = reusable<"hash" | "id" | "inMs">(
    sql`UPDATE ${jobs} AS job SET ready_at = ${readyAt} WHERE job.user_hash = ${hash} AND job.id = ${id}`,
  );
  const size = toStatement(sql`SELECT count(*)::text AS size FROM ${jobs}`);
  return { enqueue, lease, complete, release, size };
}

interface JobRow extends UserKey, Omit<StoredJob, "user"> {}

const toJob = ({ hash, userId, ...job }: JobRow): StoredJob => ({ ...job, user: { userId, hash } });

export function createJobs(client: SqlClient, tables: UserMemoryTables): JobBackend {
  const statements = createJobStatements(tables);
  const write = (statement: Statement) => client.query({ ...statement, writes: true });
  return {
    durable: true,
    enqueue: async ({ user, id, body }, { epoch, leaseMs }) => {
      const values = { hash: user.hash, userId: user.userId, id, body, epoch, inMs: leaseMs };
      const [row] = await write(statements.enqueue(values));
      return row?.["added"] === "true";
    },
    lease: async ({ leaseMs, limit }) => {
      const [row] = await write(statements.lease({ inMs: leaseMs, limit }));
      return (JSON.parse(row?.["jobs"] ?? "[]") as readonly JobRow[]).map(toJob);
    },
    complete: async (user, id) => void (await write(statements.complete({ hash: user.hash, id }))),
    release: async (user, id, delayMs) =>
      void (await write(statements.release({ hash: user.hash, id, inMs: delayMs }))),
    size: async () => Number((await client.query(statements.size))[0]?.["size"]),
  };
}
