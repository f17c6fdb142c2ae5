import { createMemoryConnectionError, MemorySetupError } from "@jaf/memory/adapter";
import { checkRelease } from "@jaf/memory/internal";
import { adaptClient } from "./client/adapt-client.ts";
import type { RedisClient, RedisPort } from "./client/clients.ts";
import { createDeadlines } from "./client/command-deadlines.ts";
import type { RedisSettings } from "./config.ts";
import type { CreateConnection, Target } from "./connection/connection.ts";
import { ioredisConnections } from "./connection/ioredis.ts";
import { nodeRedisConnections } from "./connection/node-redis.ts";
import { type ConnectionTimes, type OwnConnection, openReconnecting } from "./connection/reconnecting.ts";
import { toSetupError } from "./errors.ts";
import { createScriptRunner, type ReplicaWait } from "./lua.ts";

/** The connection and the settings of one store of this package, e.g. of the blob store. */
export interface StoreOptions extends Pick<RedisSettings, "keyPrefix" | "minReplicas" | "commandTimeoutMs"> {
  readonly port: RedisPort;
  /** Closes the connection if the store opened it. A client that the application passed in stays open. */
  readonly close: () => Promise<void>;
}

interface Opening {
  readonly settings: Omit<RedisSettings, "ttl">;
  /** The client that the application passed in. Absent: the store opens a connection. */
  readonly client?: RedisClient | undefined;
  /** The name of the exported function that opens the store, for error messages. */
  readonly operation: string;
}

/**
 * Returns the connection and the settings of a store. Throws a `TypeError` if `client` isn't a Redis client, and a
 * `MemorySetupError` if the server can't be reached or `client` can't be used.
 */
export async function openStore({ settings, client, operation }: Opening): Promise<StoreOptions> {
  checkRelease(globalThis.JAF_RELEASE);
  const { keyPrefix, minReplicas, commandTimeoutMs } = settings;
  try {
    const { port, close } =
      client === undefined
        ? await openConnection({ settings, operation })
        : { port: adaptClient(client), close: async () => {} };
    return { port, close, keyPrefix, minReplicas, commandTimeoutMs };
  } catch (thrown) {
    throw thrown instanceof TypeError && client !== undefined ? thrown : toSetupError(operation, thrown);
  }
}

/**
 * Returns the functions with which a store sends commands and runs its scripts. `wait` says how many replicas a write
 * waits for; `undefined`: none.
 */
export function createCalls<Name extends string>(
  { port, minReplicas, commandTimeoutMs }: Omit<StoreOptions, "keyPrefix" | "close">,
  scripts: Readonly<Record<Name, string>>,
) {
  const deadlines = createDeadlines(commandTimeoutMs, port.onTimeout);
  const wait: ReplicaWait | undefined =
    minReplicas === 0 ? undefined : { replicas: minReplicas, timeoutMs: Math.ceil(commandTimeoutMs / 3) };
  return { deadlines, wait, run: createScriptRunner(port, deadlines, scripts) };
}

export type LoadConnections = (target: Target, connectTimeoutMs: number) => Promise<CreateConnection>;

const PING_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** The client libraries in order of preference. */
// Each is imported only when it is tried, because an application usually has only one of them.
const libraries: readonly LoadConnections[] = [
  async (target, timeoutMs) => nodeRedisConnections(await import("redis"), target, timeoutMs),
  async (target, timeoutMs) => ioredisConnections(await import("ioredis"), target, timeoutMs),
];

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && /^(ERR_)?MODULE_NOT_FOUND$/.test(String(thrown.code));

interface ConnectionOptions {
  readonly settings: Target & Pick<RedisSettings, "commandTimeoutMs">;
  /** The name of the exported function that opens the store, for error messages. */
  readonly operation: string;
  /** Only tests set this. */
  readonly libraries?: readonly LoadConnections[];
  /** Only tests set this. */
  readonly times?: Partial<ConnectionTimes>;
}

const timesOf = (commandTimeoutMs: number): ConnectionTimes => ({
  commandTimeoutMs,
  pingAfterMs: 10_000,
  pingTimeoutMs: Math.min(PING_TIMEOUT_MS, commandTimeoutMs),
  connectTimeoutMs: 10_000,
  closeTimeoutMs: Math.min(CLOSE_TIMEOUT_MS, commandTimeoutMs),
});

/**
 * Opens a connection with the library `redis`, or with `ioredis` if `redis` isn't installed. Throws a
 * `MemorySetupError` if neither library is installed.
 */
export async function openConnection(options: ConnectionOptions): Promise<OwnConnection> {
  const { settings, operation } = options;
  const times = { ...timesOf(settings.commandTimeoutMs), ...options.times };
  for (const load of options.libraries ?? libraries) {
    const createConnection = await load(settings, times.connectTimeoutMs).catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined;
      throw thrown;
    });
    if (createConnection !== undefined) return openReconnecting(createConnection, times);
  }
  const hint = "neither `redis` nor `ioredis` is installed; install one, or pass a client";
  throw new MemorySetupError(createMemoryConnectionError("redis", hint, { operation, retryable: false }));
}
