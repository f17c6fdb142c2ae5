// The backend of create-jaf-adapter in a SQLite file, for tests with several processes.
import { pathToFileURL } from "node:url";
import { createKeyedQueue, type MemoryBackend } from "@jaf/memory/adapter";
import { createClient, type Transaction } from "@libsql/client";
import { backendOn, type Store } from "../../../../create-jaf-adapter/test/filled/backend.ts";

/**
 * How a transaction begins: `write` is `BEGIN IMMEDIATE`, which takes the lock for writing. `deferred` is `BEGIN
 * DEFERRED`, which only takes it for the first write. If another process has written in between, that write fails.
 */
export type Begin = "write" | "deferred";

// SQLite would block this process, and with it the transaction that holds the lock.
/** Runs the transactions of this process one after the other. */
const queue = createKeyedQueue();

async function load(transaction: Transaction): Promise<Store> {
  const { rows } = await transaction.execute("SELECT contents FROM store");
  const { conversations, tombstones } = JSON.parse(
    String(rows[0]?.["contents"] ?? '{"conversations":[],"tombstones":[]}'),
  );
  return { rows: new Map(conversations), tombstones: new Map(tombstones) };
}

const textOf = ({ rows, tombstones }: Store): string =>
  JSON.stringify({ conversations: [...rows], tombstones: [...tombstones] });

export interface SqliteStore {
  readonly file: string;
  readonly begin: Begin;
}

export async function openSqliteBackend({ file, begin }: SqliteStore): Promise<MemoryBackend> {
  const client = createClient({ url: pathToFileURL(file).href, timeout: 10_000 });
  await client.execute("PRAGMA journal_mode = WAL");
  await client.execute("CREATE TABLE IF NOT EXISTS store (id INTEGER PRIMARY KEY, contents TEXT NOT NULL)");

  const inTransaction = <T>(task: (backend: MemoryBackend) => Promise<T>): Promise<T> =>
    queue.runAlone(async () => {
      const transaction = await client.transaction(begin);
      try {
        const store = await load(transaction);
        const before = textOf(store);
        const result = await task(backendOn(store));
        const contents = textOf(store);
        if (contents !== before)
          await transaction.execute({ sql: "INSERT OR REPLACE INTO store VALUES (1, ?)", args: [contents] });
        await transaction.commit();
        return result;
      } finally {
        transaction.close();
      }
    });

  return {
    ...backendOn({ rows: new Map(), tombstones: new Map() }),
    write: (write) => inTransaction((backend) => backend.write(write)),
    read: (request) => inTransaction((backend) => backend.read(request)),
    find: (query) => inTransaction((backend) => backend.find(query)),
    delete: (conversationId) => inTransaction((backend) => backend.delete(conversationId)),
    clearUser: (userId) => inTransaction((backend) => backend.clearUser(userId)),
    stats: (userId) => inTransaction((backend) => backend.stats(userId)),
    close: async () => client.close(),
  };
}
