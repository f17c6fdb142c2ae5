import { parseOptions } from "@jaf/memory/adapter";
import type { UserMemoryOptions, UserMemoryStore } from "@jaf/user-memory";
import {
  bindOptions,
  defineUserMemory,
  type UserMemoryBackend,
  userMemoryOptionsSchema,
} from "@jaf/user-memory/adapter";
import * as z from "zod";
import type { RedisClient, RedisPort } from "../client/clients.ts";
import { type RedisConfig, type RedisSettings, redisConfigSchema } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { createCalls, openStore, type StoreOptions } from "../open-store.ts";
import { createJobs } from "./jobs.ts";
import { createUserKeys, type UserMemoryCalls } from "./keys.ts";
import { createMatching } from "./matching.ts";
import { createNearest } from "./nearest.ts";
import { createAuditReader, createReads } from "./reads.ts";
import { scripts } from "./scripts/index.ts";
import { createWrites } from "./writes.ts";

/**
 * The options of {@link createRedisUserMemoryBackend}: the server, the prefix of the keys, and time limits. There is no
 * `ttl`: facts are kept until they are forgotten.
 */
export interface RedisUserMemoryBackendConfig extends Omit<RedisConfig, "ttl"> {}

/** The options of {@link createRedisUserMemory}: those of its backend, and those that every user memory store has. */
export interface RedisUserMemoryConfig extends RedisUserMemoryBackendConfig, UserMemoryOptions {}

const WHAT = "Redis user memory configuration";

const backendSchema = z.strictObject(redisConfigSchema.omit({ ttl: true }).shape);
const configSchema = z.strictObject({ ...backendSchema.shape, ...userMemoryOptionsSchema.shape });

type RedisUserMemoryBackendSettings = Omit<RedisSettings, "ttl">;

interface RedisUserMemorySettings {
  readonly settings: RedisUserMemoryBackendSettings;
  /** The options that every user memory store has, validated but without defaults. */
  readonly options: UserMemoryOptions;
}

/**
 * Splits the configuration into the settings of the backend and the options of user memory. Throws a `TypeError` if a
 * field is invalid.
 */
function parseUserMemoryConfig(config: RedisUserMemoryConfig): RedisUserMemorySettings {
  const given = bindOptions(configSchema, config);
  const settings = parseOptions(configSchema, given, WHAT);
  const options = Object.entries(given).filter(([name]) => name in userMemoryOptionsSchema.shape);
  return { settings, options: Object.fromEntries(options) };
}

/** Returns the settings of the backend with their defaults. Throws a `TypeError` if a field is invalid. */
const parseUserMemoryBackendConfig = (config: RedisUserMemoryBackendConfig): RedisUserMemoryBackendSettings =>
  parseOptions(backendSchema, bindOptions(backendSchema, config), WHAT);

/**
 * Creates a store for facts about users in Redis 6.2 or later. `client` is a connected client, pool, Cluster or
 * Sentinel client of `redis`, or a client or Cluster of `ioredis`. Closing the store doesn't close `client`. With
 * `client`, the fields `host`, `port`, `username`, `password`, `db` and `url` have no effect. Without `client`, the
 * store opens a connection.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` if the server can't be reached.
 *
 * @example
 * ```ts
 * import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
 * import { createClient } from "redis";
 *
 * const client = createClient({ url: "redis://localhost:6379" });
 * client.on("error", (error) => console.error("Redis:", error.message));
 * await client.connect();
 *
 * const memory = await createRedisUserMemory({ auditKey: process.env["AUDIT_KEY"] }, client);
 * await memory.remember("user-456", "Is allergic to peanuts");
 * const facts = await memory.recall("user-456", "Which snacks may I offer?");
 * ```
 */
export async function createRedisUserMemory(
  config: RedisUserMemoryConfig = {},
  client?: RedisClient,
): Promise<UserMemoryStore> {
  const { settings, options } = parseUserMemoryConfig(config);
  const store = await openStore({ settings, client, operation: "createRedisUserMemory" });
  return defineUserMemory(createUserMemoryBackend(store), options);
}

/**
 * Opens the backend of {@link createRedisUserMemory} alone, for applications that wrap it. Pass the wrapped backend and
 * the options of user memory to `defineUserMemory`. `config` has only the options of the backend. `client` and the
 * errors are those of `createRedisUserMemory`.
 *
 * @example
 * ```ts
 * import { createRedisUserMemoryBackend } from "@jaf/memory-redis/user-memory";
 * import { defineUserMemory } from "@jaf/user-memory";
 * import { mapFacts, type TextCodec } from "@jaf/user-memory/adapter";
 *
 * declare const encryption: TextCodec;
 *
 * const backend = await createRedisUserMemoryBackend({ host: "localhost" });
 * const memory = defineUserMemory(mapFacts(backend, encryption), { auditKey: process.env["AUDIT_KEY"] });
 * ```
 */
export async function createRedisUserMemoryBackend(
  config: RedisUserMemoryBackendConfig = {},
  client?: RedisClient,
): Promise<UserMemoryBackend> {
  const settings = parseUserMemoryBackendConfig(config);
  const opening = { settings, client, operation: "createRedisUserMemoryBackend" };
  return createUserMemoryBackend(await openStore(opening));
}

/** Creates the backend of user memory on Redis. */
export function createUserMemoryBackend(options: StoreOptions): UserMemoryBackend {
  const { port, close } = closable(options.port, options.close);
  const keys = createUserKeys(options.keyPrefix);
  const calls: UserMemoryCalls = { port, keys, ...createCalls({ ...options, port }, scripts) };
  const jobs = createJobs(calls);

  return {
    name: "redis",
    ...createReads(calls),
    ...createWrites(calls, jobs.forget),
    match: createMatching(calls),
    nearest: createNearest(calls),
    audit: createAuditReader(calls),
    jobs: jobs.backend,
    close,
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  };
}

/** The user memory store was used after it was closed. */
class UserMemoryClosed extends Error {
  override readonly name = "UserMemoryClosed";
}

/** Returns a port whose calls reject after the returned function `close` was called. */
function closable(port: RedisPort, close: () => Promise<void>) {
  let closed = false;
  const refuse = (): Promise<never> => Promise.reject(new UserMemoryClosed("the store was closed"));
  return {
    port: {
      ...port,
      send: (args, key) => (closed ? refuse() : port.send(args, key)),
      sendPipeline: (commands, key) => (closed ? refuse() : port.sendPipeline(commands, key)),
      sendTransaction: (commands, key) => (closed ? refuse() : port.sendTransaction(commands, key)),
    } satisfies RedisPort,
    close: async (): Promise<void> => {
      closed = true;
      await close();
    },
  };
}
