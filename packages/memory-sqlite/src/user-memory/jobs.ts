import type { JobBackend, StoredJob } from "@jaf/user-memory/adapter";
import type { SqliteRow } from "../client/driver.ts";
import type { OpenedDatabase } from "../database.ts";
import { headOf } from "./reads.ts";

const ENQUEUE = `
INSERT INTO fact_jobs (user_hash, id, user_id, body, attempts, ready_at) VALUES (?, ?, ?, ?, 1, ?)
ON CONFLICT DO NOTHING`;
const DUE = `
SELECT user_hash, id, user_id, body, attempts + 1 AS attempts FROM fact_jobs WHERE ready_at <= ?
ORDER BY ready_at LIMIT ?`;
const LEASE = "UPDATE fact_jobs SET attempts = attempts + 1, ready_at = ? WHERE user_hash = ? AND id = ?";
const COMPLETE = "DELETE FROM fact_jobs WHERE user_hash = ? AND id = ?";
const RELEASE = "UPDATE fact_jobs SET ready_at = ? WHERE user_hash = ? AND id = ?";
const SIZE = "SELECT count(*) AS size FROM fact_jobs";

const toJob = (row: SqliteRow): StoredJob => ({
  user: { userId: String(row["user_id"]), hash: String(row["user_hash"]) },
  id: String(row["id"]),
  body: String(row["body"]),
  attempts: Number(row["attempts"]),
});

// All processes are on the machine of the file, so they have the same clock. A time in a far future is stored as the
// last one that a number can hold exactly.
const inMs = (ms: number): number => Math.min(Math.ceil(Date.now() + ms), Number.MAX_SAFE_INTEGER);

export function createJobs(database: OpenedDatabase): JobBackend {
  return {
    durable: true,
    enqueue: ({ user, id, body }, { epoch, leaseMs }) =>
      database.write((client) => {
        if ((headOf(client, user)?.epoch ?? 0) !== epoch) return false;
        return client.run(ENQUEUE, user.hash, id, user.userId, body, inMs(leaseMs)) > 0;
      }),
    lease: ({ leaseMs, limit }) =>
      database.write((client) => {
        const jobs = client.all(DUE, Date.now(), limit).map(toJob);
        for (const { user, id } of jobs) client.run(LEASE, inMs(leaseMs), user.hash, id);
        return jobs;
      }),
    complete: (user, id) => database.write((client) => void client.run(COMPLETE, user.hash, id)),
    release: (user, id, delayMs) =>
      database.write((client) => void client.run(RELEASE, inMs(delayMs), user.hash, id)),
    size: () => database.read((client) => Number(client.first(SIZE)?.["size"])),
  };
}
