import { createMemoryConnectionError, MemorySetupError } from "@jaf/memory";
import type { RedisClient } from "./client/clients.ts";
import type { RedisSettings } from "./config.ts";
import { createDeadlines } from "./deadlines.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;

type Settings = Omit<RedisSettings, "ttl">;

export interface OwnConnection {
  readonly client: RedisClient;
  readonly close: () => Promise<void>;
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && /^(ERR_)?MODULE_NOT_FOUND$/.test(String(thrown.code));

/** Milliseconds to wait before the next attempt: soon at first, then every two seconds, never all clients at once. */
const pause = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2);

/** Waits for the answers that are due, and not for a server that gives none. */
async function closeInTime(
  { commandTimeoutMs }: Settings,
  close: () => Promise<void>,
  destroy: () => void,
): Promise<void> {
  try {
    await createDeadlines(Math.min(CLOSE_TIMEOUT_MS, commandTimeoutMs))(close());
  } catch {
    destroy();
  }
}

async function openNodeRedis(settings: Settings): Promise<OwnConnection> {
  const { createClient } = await import("redis");
  const { url, host, port, username, password, db } = settings;
  let connected = false;
  // Until it was connected once, a failure is the caller's to know.
  const reconnectStrategy = (attempt: number) => (connected ? pause(attempt) : false);
  const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy };
  const target =
    url === undefined
      ? {
          ...(username === undefined ? {} : { username }),
          ...(password === undefined ? {} : { password }),
          database: db,
        }
      : { url };
  // Offline, a call fails at once: queued, it might be done long after it was given up.
  const client = createClient({
    ...target,
    disableOfflineQueue: true,
    socket: url === undefined ? { ...socket, host, port } : socket,
  });
  // Commands fail with it; without a listener it would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (thrown) {
    client.destroy();
    throw thrown;
  }
  connected = true;
  return {
    client,
    close: () =>
      closeInTime(
        settings,
        async () => void (client.isOpen && (await client.close())),
        () => client.destroy(),
      ),
  };
}

async function openIoredis(settings: Settings): Promise<OwnConnection> {
  const { Redis } = await import("ioredis");
  const { url, host, port, username, password, db } = settings;
  let connected = false;
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (attempt: number) => (connected ? pause(attempt) : null),
  };
  const credentials = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  const client =
    url === undefined ? new Redis({ ...options, host, port, db, ...credentials }) : new Redis(url, options);
  let reason: unknown;
  client.on("error", (thrown: unknown) => {
    reason ??= thrown;
  });
  try {
    await client.connect();
  } catch (thrown) {
    client.disconnect();
    throw reason ?? thrown;
  }
  connected = true;
  return {
    client,
    close: () =>
      closeInTime(
        settings,
        async () => void (client.status !== "end" && (await client.quit())),
        () => client.disconnect(),
      ),
  };
}

/** Of `redis`, or of `ioredis` where only that is installed. Imported when needed: an application has one of them. */
export async function openConnection(settings: Settings, operation: string): Promise<OwnConnection> {
  for (const open of [openNodeRedis, openIoredis]) {
    try {
      return await open(settings);
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
    }
  }
  const hint = "neither `redis` nor `ioredis` is installed; install one, or hand in a client";
  throw new MemorySetupError(createMemoryConnectionError("redis", hint, { operation, retryable: false }));
}
