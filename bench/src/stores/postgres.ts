import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import pg from "pg";
import { findPostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import type { Lab } from "../lab.ts";
import { loadXynehq } from "../peers.ts";
import { messagesOf, nextTurn } from "../turns.ts";
import type { Backend, Clients } from "./backend.ts";
import { jafStore, peerStore, RECENT, type Store } from "./store.ts";

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

/** As processes are that know nothing of each other: each with a provider and a connection. */
async function openApart(pools: readonly pg.Pool[]): Promise<Clients> {
  const jaf: Store[] = [];
  for (const pool of pools) jaf.push(jafStore(await openPostgresProvider(pool, "jaf")));
  return { name: "Postgres, a provider each", raw: pools.map(rawStoreOf), jaf };
}

/** As the requests to one server are: they share a provider and its pool. */
async function openTogether(pool: pg.Pool, count: number): Promise<Clients> {
  const [raw, jaf] = [rawStoreOf(pool), jafStore(await openPostgresProvider(pool, "jaf"))];
  const many = (store: Store) => Array.from({ length: count }, () => store);
  return { name: "Postgres, one provider", raw: many(raw), jaf: many(jaf) };
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
    openMany: async (count) => [
      await openApart(Array.from({ length: count }, () => openPool(lab, url, 1))),
      await openTogether(openPool(lab, url, count), count),
    ],
    tidy: async () => {
      await admin.query("VACUUM ANALYZE");
      await admin.query("CHECKPOINT");
    },
    watchSteps: async () => watchStatements(last),
  };
}
