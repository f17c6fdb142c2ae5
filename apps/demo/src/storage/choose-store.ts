import {
  createInMemoryInbox,
  createInMemoryTimers,
  createMemoryProviderFromEnv,
  type Inbox,
  type MemoryProvider,
  registerMemoryAdapter,
  type Timers,
  type TurnLog,
  withRetry,
} from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createPostgresInbox, createPostgresTimers, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisInbox, createRedisTimers, createRedisTurnLog } from "@jaf/memory-redis";
import { Failure } from "../exit.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenStore {
  readonly provider: MemoryProvider;
  /** Tells the user where the conversations are stored. */
  readonly notice: string;
}

/** Loaded on demand, so the demo starts fast without them. */
const ADAPTERS: Readonly<Record<string, () => Promise<unknown>>> = {
  redis: async () => registerMemoryAdapter((await import("@jaf/memory-redis")).adapter),
  postgres: async () => registerMemoryAdapter((await import("@jaf/memory-postgres")).adapter),
};

/**
 * Opens the conversation store that `JAF_MEMORY_TYPE` and its adapter's variables configure; `undefined` if it isn't set.
 * Rejects with a `MemorySetupError` if the store can't be opened.
 */
export async function chooseStore(environment: Environment): Promise<ChosenStore | undefined> {
  const type = environment["JAF_MEMORY_TYPE"]?.trim() ?? "";
  if (type === "") return undefined;
  await ADAPTERS[type]?.();
  const provider = withRetry(await createMemoryProviderFromEnv({}, environment));
  const kept = type === "memory" ? "are gone when you leave" : `are in ${type}`;
  return { provider, notice: `Conversations ${kept} (JAF_MEMORY_TYPE); notes and facts stay in the folder.` };
}

/** The stores of the page's server beside the conversations. */
export interface TurnStores {
  readonly turnLog: TurnLog;
  /** What is said while a turn runs. */
  readonly inbox: Inbox;
  /** Reminders and schedules. */
  readonly timers: Timers;
}

export interface ChosenTurnStores extends TurnStores {
  readonly close: () => Promise<void>;
}

/**
 * Opens turn log, inbox and timers in the store that `JAF_MEMORY_TYPE` and its adapter's variables configure. `undefined` if the
 * store is the folder, or has none of them: then the folder has them.
 */
export async function chooseTurnStores(environment: Environment): Promise<ChosenTurnStores | undefined> {
  const set = (name: string): string | undefined => environment[name] || undefined;
  switch (set("JAF_MEMORY_TYPE")?.trim()) {
    case "memory":
      return {
        turnLog: createInMemoryTurnLog(),
        inbox: createInMemoryInbox(),
        timers: createInMemoryTimers(),
        close: async () => {},
      };
    case "redis":
      return inRedis(set);
    case "postgres":
      return inPostgres(set);
    default:
      return undefined;
  }
}

type Variables = (name: string) => string | undefined;

const portIn = (text: string | undefined): { readonly port?: number } =>
  text === undefined ? {} : { port: Number(text) };

async function inRedis(set: Variables): Promise<ChosenTurnStores> {
  const { createClient } = await import("redis");
  const [url, host, username, password, database, keyPrefix] = [
    ...[set("JAF_REDIS_URL"), set("JAF_REDIS_HOST"), set("JAF_REDIS_USERNAME"), set("JAF_REDIS_PASSWORD")],
    ...[set("JAF_REDIS_DB"), set("JAF_REDIS_PREFIX")],
  ];
  const client = createClient(
    url === undefined
      ? {
          socket: { host: host ?? "localhost", ...portIn(set("JAF_REDIS_PORT")) },
          ...(username === undefined ? {} : { username }),
          ...(password === undefined ? {} : { password }),
          ...(database === undefined ? {} : { database: Number(database) }),
        }
      : { url },
  );
  client.on("error", () => {}); // It reconnects automatically, and each call reports its own failure.
  try {
    await client.connect();
  } catch {
    client.destroy();
    throw new Failure("The turn log can't be opened in Redis. Check the variables JAF_REDIS_….");
  }
  const config = keyPrefix === undefined ? {} : { keyPrefix };
  const turnLog = createRedisTurnLog(config, client);
  const inbox = createRedisInbox(config, client);
  const timers = createRedisTimers(config, client);
  return { turnLog, inbox, timers, close: async () => void (await client.close()) };
}

async function inPostgres(set: Variables): Promise<ChosenTurnStores> {
  const { default: pg } = await import("pg");
  const connectionString = set("JAF_POSTGRES_URL");
  const [host, database, user, password, ssl] = [
    ...[set("JAF_POSTGRES_HOST"), set("JAF_POSTGRES_DB"), set("JAF_POSTGRES_USER")],
    ...[set("JAF_POSTGRES_PASSWORD"), set("JAF_POSTGRES_SSL")],
  ];
  const pool = new pg.Pool({
    max: 4,
    ...(connectionString === undefined
      ? {
          ...{ host: host ?? "localhost", ...portIn(set("JAF_POSTGRES_PORT")) },
          ...(database === undefined ? {} : { database }),
          ...(user === undefined ? {} : { user }),
          ...(password === undefined ? {} : { password }),
          ssl: /^(?:true|1|yes|on)$/i.test(ssl ?? ""),
        }
      : { connectionString }),
  });
  pool.on("error", () => {}); // Each call reports its own failure.
  const [tableName, schema] = [set("JAF_POSTGRES_TABLE"), set("JAF_POSTGRES_SCHEMA")];
  try {
    const config = {
      ...(tableName === undefined ? {} : { tableName }),
      ...(schema === undefined ? {} : { schema }),
    };
    return { ...(await openPostgresTurnStores(config, pool)), close: () => pool.end() };
  } catch (thrown) {
    await pool.end();
    throw thrown;
  }
}

/** Opens turn log, inbox and timers in Postgres, or in the folder's PGlite. */
export async function openPostgresTurnStores(
  config: Parameters<typeof createPostgresTurnLog>[0],
  client: Parameters<typeof createPostgresTurnLog>[1],
): Promise<TurnStores> {
  return {
    turnLog: await createPostgresTurnLog(config, client),
    inbox: await createPostgresInbox(config, client),
    timers: await createPostgresTimers(config, client),
  };
}
