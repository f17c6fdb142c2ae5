import type { CacheAdapter } from "@jaf/memory";
import { adaptClient } from "./client/adapt-client.ts";
import type { RedisClient } from "./client/clients.ts";
import { createDeadlines } from "./client/command-deadlines.ts";
import { parseConfig, type RedisConfig } from "./config.ts";
import { text } from "./lua.ts";

/**
 * Creates a cache in Redis that all processes share. The cache never closes the client. If the client reports an error,
 * the cache's method rejects with that error. If Redis doesn't reply within `commandTimeoutMs`, the method rejects with
 * a timeout error. The value of `key` is stored under `<keyPrefix>cache:{<key>}`. Keys of conversations and of media
 * never have this form.
 *
 * @throws TypeError for an invalid client or option.
 *
 * @example
 * ```ts
 * import { createRedisCacheAdapter, type RedisClient } from "@jaf/memory-redis";
 *
 * declare const client: RedisClient;
 * declare function sendReport(): Promise<void>;
 *
 * const cache = createRedisCacheAdapter({ keyPrefix: "app:" }, client);
 * const isFirst = await cache.setIfAbsent("report:2026-11-02", "sent", { ttlSeconds: 86_400 });
 * if (isFirst) await sendReport();
 * ```
 */
export function createRedisCacheAdapter(
  config: Pick<RedisConfig, "keyPrefix" | "commandTimeoutMs">,
  client: RedisClient,
): CacheAdapter {
  const { keyPrefix, commandTimeoutMs } = parseConfig(config);
  const port = adaptClient(client);
  const deadlines = createDeadlines(commandTimeoutMs, port.onTimeout);
  // On a Cluster, the text in the braces selects the server. If `keyPrefix` has a hash tag, that hash tag selects it.
  const keyOf = (key: string): string => `${keyPrefix}cache:{${key}}`;
  const send = (command: string, key: string, ...args: readonly string[]): Promise<unknown> =>
    deadlines(port.send([command, key, ...args], key));

  return {
    get: async (key) => {
      const value = await send("GET", keyOf(key));
      return value == null ? undefined : text(value);
    },
    set: async (key, value, { ttlSeconds }) => {
      await send("SET", keyOf(key), value, "EX", String(ttlSeconds));
    },
    delete: async (key) => {
      await send("DEL", keyOf(key));
    },
    setIfAbsent: async (key, value, { ttlSeconds }) =>
      (await send("SET", keyOf(key), value, "EX", String(ttlSeconds), "NX")) != null,
  };
}
