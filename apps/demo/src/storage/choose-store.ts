import {
  createMemoryProviderFromEnv,
  type MemoryProvider,
  registerMemoryAdapter,
  type TurnLog,
  withRetry,
} from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createPostgresTurnLog } from "@jaf/memory-postgres";
import { createRedisTurnLog } from "@jaf/memory-redis";
import { Failure } from "../exit.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenStore {
  readonly provider: MemoryProvider;
  /** Where the conversations are, for the person at the terminal. */
  readonly notice: string;
}

/** Loaded when they are asked for: the demo has to start fast without them. */
const ADAPTERS: Readonly<Record<string, () => Promise<unknown>>> = {
  redis: async () => registerMemoryAdapter((await import("@jaf/memory-redis")).adapter),
  postgres: async () => registerMemoryAdapter((await import("@jaf/memory-postgres")).adapter),
};

/**
 * Where conversations are kept, as `JAF_MEMORY_TYPE` and the variables of its adapter say; `undefined`: it isn't set. Rejects
 * with a `MemorySetupError` where it can't be opened.
 */
export async function chooseStore(environment: Environment): Promise<ChosenStore | undefined> {
  const type = environment["JAF_MEMORY_TYPE"]?.trim() ?? "";
  if (type === "") return undefined;
  await ADAPTERS[type]?.();
  const provider = withRetry(await createMemoryProviderFromEnv({}, environment));
  const kept = type === "memory" ? "are gone when you leave" : `are in ${type}`;
  return { provider, notice: `Conversations ${kept} (JAF_MEMORY_TYPE); notes and facts stay in the folder.` };
}

export interface ChosenTurnLog {
  readonly turnLog: TurnLog;
  readonly close: () => Promise<void>;
}

/**
 * The log of turns beside the conversations, as `JAF_MEMORY_TYPE` and the variables of its adapter say. `undefined`: they are in
 * the folder, or where no log can be, and so the log is in the folder.
 */
export async function chooseTurnLog(environment: Environment): Promise<ChosenTurnLog | undefined> {
  const set = (name: string): string | undefined => environment[name] || undefined;
  switch (set("JAF_MEMORY_TYPE")?.trim()) {
    case "memory":
      return { turnLog: createInMemoryTurnLog(), close: async () => {} };
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

async function inRedis(set: Variables): Promise<ChosenTurnLog> {
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
  client.on("error", () => {}); // It connects again by itself, and each call tells its own failure.
  try {
    await client.connect();
  } catch {
    client.destroy();
    throw new Failure("The log of turns can't be opened in Redis. Check the variables JAF_REDIS_….");
  }
  const turnLog = createRedisTurnLog(client, keyPrefix === undefined ? {} : { keyPrefix });
  return { turnLog, close: async () => void (await client.close()) };
}

async function inPostgres(set: Variables): Promise<ChosenTurnLog> {
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
  pool.on("error", () => {}); // Each call tells its own failure.
  const [tableName, schema] = [set("JAF_POSTGRES_TABLE"), set("JAF_POSTGRES_SCHEMA")];
  try {
    const turnLog = await createPostgresTurnLog(pool, {
      ...(tableName === undefined ? {} : { tableName }),
      ...(schema === undefined ? {} : { schema }),
    });
    return { turnLog, close: () => pool.end() };
  } catch (thrown) {
    await pool.end();
    throw thrown;
  }
}
