import { createMemoryConnectionError, MemorySetupError } from "@jaf/memory/adapter";
import type { RedisSettings } from "../config.ts";
import type { CreateConnection, Target } from "./connection.ts";
import { ioredisConnections } from "./ioredis.ts";
import { nodeRedisConnections } from "./node-redis.ts";
import { type ConnectionTimes, type OwnConnection, openReconnecting } from "./reconnecting.ts";

export type LoadConnections = (target: Target, connectTimeoutMs: number) => Promise<CreateConnection>;

const PING_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** In the order in which they are looked for. Imported when needed: an application has one of them. */
const libraries: readonly LoadConnections[] = [
  async (target, timeoutMs) => nodeRedisConnections(await import("redis"), target, timeoutMs),
  async (target, timeoutMs) => ioredisConnections(await import("ioredis"), target, timeoutMs),
];

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && /^(ERR_)?MODULE_NOT_FOUND$/.test(String(thrown.code));

export interface ConnectionOptions {
  readonly settings: Target & Pick<RedisSettings, "commandTimeoutMs">;
  /** The factory, for errors. */
  readonly operation: string;
  /** For tests. */
  readonly libraries?: readonly LoadConnections[];
  /** For tests. */
  readonly times?: Partial<ConnectionTimes>;
}

const timesOf = (commandTimeoutMs: number): ConnectionTimes => ({
  commandTimeoutMs,
  pingAfterMs: 10_000,
  pingTimeoutMs: Math.min(PING_TIMEOUT_MS, commandTimeoutMs),
  connectTimeoutMs: 10_000,
  closeTimeoutMs: Math.min(CLOSE_TIMEOUT_MS, commandTimeoutMs),
});

/** Of `redis`, or of `ioredis` where only that is installed. */
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
