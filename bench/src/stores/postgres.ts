import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import pg from "pg";
import { findPostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import type { Lab } from "../lab.ts";
import { messagesOf, nextTurn } from "../turns.ts";
import type { Backend } from "./backend.ts";
import { RECENT, type Store } from "./store.ts";

const RAW_TABLE = `CREATE TABLE IF NOT EXISTS raw (
  conversation_id text, seq bigint, body text NOT NULL, PRIMARY KEY (conversation_id, seq))`;

export function openPool(lab: Lab, url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, idleTimeoutMillis: 0 });
  pool.on("error", () => {}); // Calls fail with this error. Without a listener it would end the process.
  lab.onEnd(() => pool.end());
  return pool;
}

/** Stores only one row per message, with prepared statements. The row numbers are counted here. */
function rawStore(pool: pg.Pool): Store {
  const lengths = new Map<string, number>();
  const grow = (id: string, by: number): number => {
    const length = lengths.get(id) ?? 0;
    lengths.set(id, length + by);
    return length;
  };
  const read = async (name: string, text: string, values: unknown[]): Promise<number> => {
    const { rows } = await pool.query<{ readonly body: string }>({ name, text, values });
    return rows.map(({ body }): unknown => JSON.parse(body)).length;
  };
  return {
    seed: async (id, count) => {
      const bodies = messagesOf(count).map((message) => JSON.stringify(message));
      await pool.query(
        "INSERT INTO raw SELECT $1, $2 + at, body FROM unnest($3::text[]) WITH ORDINALITY AS m(body, at)",
        [id, grow(id, count), bodies],
      );
    },
    append: async (id) => {
      const [question, answer] = nextTurn();
      const last = grow(id, 2);
      await pool.query({
        name: "append",
        text: "INSERT INTO raw (conversation_id, seq, body) VALUES ($1, $2, $3), ($1, $4, $5)",
        values: [id, last + 1, JSON.stringify(question), last + 2, JSON.stringify(answer)],
      });
    },
    recent: (id) =>
      read("recent", "SELECT body FROM raw WHERE conversation_id = $1 ORDER BY seq DESC LIMIT $2", [
        id,
        RECENT,
      ]),
    load: (id) => read("load", "SELECT body FROM raw WHERE conversation_id = $1 ORDER BY seq", [id]),
  };
}

const openPostgresProvider = (pool: pg.Pool, namespace: string): Promise<MemoryProvider> =>
  createPostgresProvider({ tableName: namespace }, pool);

/** Returns its address. Acknowledged commits are on the disk. */
export async function startPostgresServer(lab: Lab): Promise<string> {
  const binaries = findPostgres();
  if (binaries === undefined)
    throw new Error("The benchmark needs Postgres (`sudo apt install postgresql`).");
  const { url, stop } = await startLocalPostgres(binaries, ["max_connections=200"]);
  lab.onEnd(stop);
  return url;
}

export async function startPostgresBackend(lab: Lab): Promise<Backend> {
  const url = await startPostgresServer(lab);
  const admin = openPool(lab, url, 1);
  await admin.query(RAW_TABLE);
  const open = () => openPool(lab, url, 16);
  return {
    name: "Postgres",
    kind: "postgres",
    openRaw: async () => rawStore(open()),
    openProvider: (namespace) => openPostgresProvider(open(), namespace),
    tidy: async () => {
      await admin.query("VACUUM ANALYZE");
      await admin.query("CHECKPOINT");
    },
  };
}
