import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import pg from "pg";
import { findPostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import type { Lab } from "../lab.ts";
import { loadXynehq } from "../peers.ts";
import { messagesOf, nextTurn } from "../turns.ts";
import type { Backend, Clients } from "./backend.ts";
import { engineStore, jafStore, peerStore, RECENT, runNote, type Store } from "./store.ts";

const NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

export const RAW_TABLE = `CREATE TABLE IF NOT EXISTS raw (
  conversation_id text, seq bigint, body text NOT NULL, PRIMARY KEY (conversation_id, seq))`;

export function openPool(lab: Lab, url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, idleTimeoutMillis: 0 });
  pool.on("error", () => {}); // Calls fail with it; without a listener it would end the process.
  lab.onEnd(() => pool.end());
  return pool;
}

interface RawQuery {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Runs a statement, prepared under its name where that is possible. */
export type RunRaw = (query: RawQuery) => Promise<{ readonly rows: readonly unknown[] }>;

/** A row per message and nothing else. The numbers of the rows are counted here. */
export function rawStore(run: RunRaw): Store {
  const lengths = new Map<string, number>();
  const grow = (id: string, by: number): number => {
    const length = lengths.get(id) ?? 0;
    lengths.set(id, length + by);
    return length;
  };
  const parsed = ({ rows }: Awaited<ReturnType<RunRaw>>): number =>
    rows.map((row): unknown => JSON.parse((row as { readonly body: string }).body)).length;
  return {
    seed: async (id, count) => {
      const bodies = messagesOf(count).map((message) => JSON.stringify(message));
      await run({
        name: "seed",
        text: "INSERT INTO raw SELECT $1, $2 + at, body FROM unnest($3::text[]) WITH ORDINALITY AS m(body, at)",
        values: [id, grow(id, count), bodies],
      });
    },
    append: async (id) => {
      const [question, answer] = nextTurn();
      const last = grow(id, 2);
      await run({
        name: "append",
        text: "INSERT INTO raw (conversation_id, seq, body) VALUES ($1, $2, $3), ($1, $4, $5)",
        values: [id, last + 1, JSON.stringify(question), last + 2, JSON.stringify(answer)],
      });
    },
    recent: async (id) =>
      parsed(
        await run({
          name: "recent",
          text: "SELECT body FROM raw WHERE conversation_id = $1 ORDER BY seq DESC LIMIT $2",
          values: [id, RECENT],
        }),
      ),
    load: async (id) =>
      parsed(
        await run({
          name: "load",
          text: "SELECT body FROM raw WHERE conversation_id = $1 ORDER BY seq",
          values: [id],
        }),
      ),
  };
}

const rawStoreOf = (pool: pg.Pool): Store => rawStore((query) => pool.query(query));

export const openPostgresProvider = (pool: pg.Pool, namespace: string): Promise<MemoryProvider> =>
  createPostgresProvider({ tableName: namespace }, pool);

async function openPeer(pool: pg.Pool): Promise<Store> {
  const { createPostgresProvider: createPeer } = await loadXynehq();
  return peerStore(await createPeer({ type: "postgres", tableName: "peer" }, pool), async () => {});
}

/** From taking a connection of the pool to giving it back, which is one statement, whoever runs it. */
function watchStatements(pool: pg.Pool): () => Promise<number> {
  const taken = new Map<pg.PoolClient, number>();
  let longestMs = 0;
  const onAcquire = (client: pg.PoolClient) => void taken.set(client, performance.now());
  const onRelease = (_: Error, client: pg.PoolClient) => {
    longestMs = Math.max(longestMs, performance.now() - (taken.get(client) ?? Number.NaN));
  };
  pool.on("acquire", onAcquire).on("release", onRelease);
  return async () => {
    pool.off("acquire", onAcquire).off("release", onRelease);
    return longestMs;
  };
}

const HEAD_TABLE =
  "CREATE TABLE IF NOT EXISTS raw_heads (conversation_id text PRIMARY KEY, last_activity timestamptz, metadata jsonb)";

/** And a row for each conversation with what a run notes, in the same statement. */
const headStoreOf = (pool: pg.Pool): Store =>
  rawStore(async ({ name, text, values }) => {
    const [id] = values;
    const note = JSON.stringify(runNote());
    if (name === "seed")
      await pool.query("INSERT INTO raw_heads VALUES ($1, now(), $2) ON CONFLICT DO NOTHING", [id, note]);
    if (name !== "append") return pool.query({ name, text, values });
    return pool.query({
      name: "append with a head",
      text: `WITH head AS (UPDATE raw_heads SET last_activity = now(), metadata = $6 WHERE conversation_id = $1) ${text}`,
      values: [...values, note],
    });
  });

/** The table of the conversations with nothing in an index that an append changes. */
async function openUnindexed(pool: pg.Pool, namespace: string): Promise<void> {
  await openPostgresProvider(pool, namespace);
  const idle = ["user_id", "last_activity", "in_burst", "expires_at"].map(
    (name) => `idx_${namespace}_${name}`,
  );
  await pool.query(`DROP INDEX IF EXISTS ${idle.join(", ")};
    CREATE INDEX idx_${namespace}_user_id ON ${namespace} (user_id)`);
}

const heapOnlyOf = (pool: pg.Pool, table: string) => async (): Promise<number> => {
  const { rows } = await pool.query(
    "SELECT 100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1) AS percent FROM pg_stat_user_tables WHERE relname = $1",
    [table],
  );
  return Number((rows as { readonly percent: string }[])[0]?.percent);
};

/** With its raw stores and those of a provider for each of `pools`; the tables are this way's own. */
async function openWay(name: string, pools: readonly pg.Pool[], count: number): Promise<Clients> {
  const [first] = pools;
  if (first === undefined) throw new TypeError("no pool");
  const table = pools.length === 1 ? "jaf_together" : "jaf_apart";
  await first.query(HEAD_TABLE);
  await openUnindexed(first, `${table}_unindexed`);
  const storesOf = async (open: (pool: pg.Pool) => Store | Promise<Store>) => {
    const stores = await Promise.all(pools.map(open));
    return Array.from({ length: count }, (_, at) => stores[at % stores.length] as Store);
  };
  const ours = async (suffix: string, toStore: (provider: MemoryProvider) => Store) => ({
    stores: await storesOf(async (pool) => toStore(await openPostgresProvider(pool, table + suffix))),
    heapOnlyPercent: heapOnlyOf(first, table + suffix),
  });
  return {
    name,
    contenders: [
      { name: "raw", stores: await storesOf(rawStoreOf) },
      { name: "JAF", ...(await ours("", jafStore)) },
      { name: "raw with a head", stores: await storesOf(headStoreOf) },
      { name: "JAF as the engine", ...(await ours("_engine", engineStore)) },
      {
        name: "JAF as the engine, with a TTL",
        ...(await ours("_ttl", (provider) => engineStore(provider, { ttlSeconds: 3_600 }))),
      },
      { name: "JAF as the engine, no index on activity", ...(await ours("_unindexed", engineStore)) },
    ],
  };
}

interface Durability {
  readonly durable: boolean;
}

/** Its address. */
export async function startPostgresServer(lab: Lab, { durable }: Durability): Promise<string> {
  const binaries = findPostgres();
  if (binaries === undefined)
    throw new Error("The benchmark needs Postgres (`sudo apt install postgresql`).");
  const settings = ["max_connections=200", ...(durable ? [] : NOT_DURABLE)];
  const { url, stop } = await startLocalPostgres(binaries, settings);
  lab.onEnd(stop);
  return url;
}

export async function startPostgresBackend(lab: Lab, { durable }: Durability): Promise<Backend> {
  const url = await startPostgresServer(lab, { durable });
  const admin = openPool(lab, url, 1);
  await admin.query(RAW_TABLE);
  let last = admin;
  const open = () => {
    last = openPool(lab, url, 16);
    return last;
  };
  return {
    name: durable ? "Postgres" : "Postgres, fsync off",
    kind: "postgres",
    url,
    openRaw: async () => rawStoreOf(open()),
    openProvider: (namespace) => openPostgresProvider(open(), namespace),
    openPeer: () => openPeer(open()),
    // As processes are that know nothing of each other, and as the requests to one server are.
    openMany: async (count) => [
      await openWay(
        "Postgres, a provider each",
        Array.from({ length: count }, () => openPool(lab, url, 1)),
        count,
      ),
      await openWay("Postgres, one provider", [openPool(lab, url, count)], count),
    ],
    tidy: async () => {
      await admin.query("VACUUM ANALYZE");
      await admin.query("CHECKPOINT");
    },
    watchSteps: async () => watchStatements(last),
  };
}
