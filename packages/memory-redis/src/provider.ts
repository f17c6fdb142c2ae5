import { defineMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { createRedisBackend } from "./backend.ts";
import { adaptClient } from "./client/adapt-client.ts";
import type { RedisClient } from "./client/clients.ts";
import type { RedisPort } from "./client/port.ts";
import { parseConfig, type RedisConfig, type RedisSettings } from "./config.ts";
import { openConnection } from "./connection.ts";
import { toSetupError } from "./errors.ts";

export interface RedisProvider extends MemoryProvider {}

const OPERATION = "createRedisProvider";

interface Opened {
  readonly port: RedisPort;
  readonly close: () => Promise<void>;
}

function adaptGiven(client: RedisClient): Opened {
  try {
    return { port: adaptClient(client), close: async () => {} };
  } catch (thrown) {
    throw thrown instanceof TypeError ? thrown : toSetupError(OPERATION, thrown);
  }
}

async function openOwn(settings: RedisSettings): Promise<Opened> {
  const { client, close } = await openConnection(settings);
  return { port: adaptClient(client), close };
}

/**
 * Keeps conversations in Redis 6.2 or later. `client` is a connected client, pool, Cluster or Sentinel client of
 * `redis`, or a client or Cluster of `ioredis`, and stays open when the provider is closed. Without one, a connection
 * is opened by the configuration; with one, `host`, `port`, `username`, `password`, `db` and `url` have no effect.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` when the server can't be reached.
 */
export async function createRedisProvider(
  config: RedisConfig = {},
  client?: RedisClient,
): Promise<RedisProvider> {
  const settings = parseConfig(config);
  const { keyPrefix, ttl, minReplicas, commandTimeoutMs } = settings;
  // Before anything is opened: what is no client is a programming error.
  const given = client === undefined ? undefined : adaptGiven(client);
  try {
    const { port, close } = given ?? (await openOwn(settings));
    return defineMemoryProvider(
      createRedisBackend({ port, keyPrefix, ttl, minReplicas, commandTimeoutMs, close }),
    );
  } catch (thrown) {
    throw toSetupError(OPERATION, thrown);
  }
}
