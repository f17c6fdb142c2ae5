import { fileURLToPath } from "node:url";
import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { createFolderOf } from "./folder.ts";

/** The facts and the conversations of all users, in one database. */
export interface Stores {
  readonly memory: UserMemoryStore;
  /** The conversations that `search` reads. This package writes none. */
  readonly provider: MemoryProvider;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
}

type Open = (url: string) => Promise<Stores>;

// Each client library is imported only when its kind of store is opened: a client of stdio waits for the start.
const openRedis: Open = async (url) => {
  const { createRedisProvider } = await import("@jaf/memory-redis");
  const { createRedisUserMemory } = await import("@jaf/memory-redis/user-memory");
  return opened(
    () => createRedisProvider({ url }),
    () => createRedisUserMemory({ url }),
  );
};

const openPostgres: Open = async (connectionString) => {
  const { createPostgresProvider } = await import("@jaf/memory-postgres");
  const { createPostgresUserMemory } = await import("@jaf/memory-postgres/user-memory");
  return opened(
    () => createPostgresProvider({ connectionString }),
    () => createPostgresUserMemory({ connectionString }),
  );
};

const openFile: Open = async (url) => {
  const { createSqliteProvider, openSqlite } = await import("@jaf/memory-sqlite");
  const { createSqliteUserMemory } = await import("@jaf/memory-sqlite/user-memory");
  const file = pathOf(url);
  await createFolderOf(file);
  const database = await openSqlite(file);
  const { close, ...stores } = await opened(
    () => createSqliteProvider({}, database),
    () => createSqliteUserMemory({}, database),
  );
  return {
    ...stores,
    close: async () => {
      await close();
      await database.close();
    },
  };
};

/** The path in an address: `file:memory.db` and `file:./memory.db` are in the working folder, `file:///…` isn't. */
const pathOf = (url: string): string =>
  /^file:\/\//i.test(url) ? fileURLToPath(url) : url.slice("file:".length);

const openInMemory: Open = () =>
  opened(
    async () => createInMemoryProvider(),
    async () => new MemoryUserMemory(),
  );

const schemes: Readonly<Record<string, Open>> = {
  "file:": openFile,
  "redis:": openRedis,
  "rediss:": openRedis,
  "postgres:": openPostgres,
  "postgresql:": openPostgres,
  "memory:": openInMemory,
};

const EXPECTED = "expected file:<path>, redis://…, postgres://… or memory:";

/**
 * Opens the stores at an address: `file:<path>` (SQLite), `redis://…`, `postgres://…`, or `memory:`, which keeps
 * everything in this process and loses it at its end. A missing file, its folder and missing tables are created. Throws a `TypeError` for
 * another address, and a `MemorySetupError` if the store can't be reached or was written by a newer version.
 *
 * @example
 * ```ts
 * import { openStores } from "@jaf/mcp-memory";
 *
 * const { memory, close } = await openStores("memory:");
 * await memory.remember("ada", "Prefers tea");
 * await close();
 * ```
 */
export async function openStores(url: string): Promise<Stores> {
  const [scheme = ""] = /^[a-z]+:/i.exec(url) ?? [];
  const open = schemes[scheme.toLowerCase()];
  // The address can hold a password, so the error only has its scheme.
  if (open === undefined)
    throw new TypeError(`Unknown address of a store (${JSON.stringify(scheme)}): ${EXPECTED}`);
  return open(url);
}

async function opened(
  openProvider: () => Promise<MemoryProvider>,
  openMemory: () => Promise<UserMemoryStore>,
): Promise<Stores> {
  const provider = await openProvider();
  try {
    const memory = await openMemory();
    return {
      provider,
      memory,
      close: async () => {
        await memory.close();
        await provider.close();
      },
    };
  } catch (thrown) {
    await provider.close();
    throw thrown;
  }
}
