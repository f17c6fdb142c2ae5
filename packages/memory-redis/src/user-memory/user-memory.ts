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

/** Where the server is and how keys begin, as for conversations but without `ttl`: facts are kept until they are forgotten. */
export interface RedisUserMemoryBackendConfig extends Omit<RedisConfig, "ttl"> {}

/** Where the facts are kept, and what every store of user memory can be given. */
export interface RedisUserMemoryConfig extends RedisUserMemoryBackendConfig, UserMemoryOptions {}

const WHAT = "Redis user memory configuration";

const backendSchema = z.strictObject(redisConfigSchema.omit({ ttl: true }).shape);
const configSchema = z.strictObject({ ...backendSchema.shape, ...userMemoryOptionsSchema.shape });

type RedisUserMemoryBackendSettings = Omit<RedisSettings, "ttl">;

interface RedisUserMemorySettings {
  readonly settings: RedisUserMemoryBackendSettings;
  /** Checked, and as they were given. */
  readonly options: UserMemoryOptions;
}

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
function parseUserMemoryConfig(config: RedisUserMemoryConfig): RedisUserMemorySettings {
  const given = bindOptions(configSchema, config);
  const settings = parseOptions(configSchema, given, WHAT);
  const options = Object.entries(given).filter(([name]) => name in userMemoryOptionsSchema.shape);
  return { settings, options: Object.fromEntries(options) };
}

/** Throws as {@link parseUserMemoryConfig}. */
const parseUserMemoryBackendConfig = (config: RedisUserMemoryBackendConfig): RedisUserMemoryBackendSettings =>
  parseOptions(backendSchema, bindOptions(backendSchema, config), WHAT);

/**
 * Keeps facts about users in Redis 6.2 or later. `client` is a connected client, pool, Cluster or Sentinel client of
 * `redis`, or a client or Cluster of `ioredis`, and stays open when the store is closed. Without one, a connection is
 * opened by the configuration; with one, `host`, `port`, `username`, `password`, `db` and `url` have no effect.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` when the server can't be reached.
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
 * The storage port of {@link createRedisUserMemory} by itself, to be wrapped before `defineUserMemory` makes a store of it:
 * what every store can be given is told to that. The same arguments and errors.
 */
export async function createRedisUserMemoryBackend(
  config: RedisUserMemoryBackendConfig = {},
  client?: RedisClient,
): Promise<UserMemoryBackend> {
  const settings = parseUserMemoryBackendConfig(config);
  const opening = { settings, client, operation: "createRedisUserMemoryBackend" };
  return createUserMemoryBackend(await openStore(opening));
}

/** The storage port of user memory on Redis: one script a step, on keys of one slot. */
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

/** The store was used after it was closed. */
class UserMemoryClosed extends Error {
  override readonly name = "UserMemoryClosed";
}

/** The same port until `close` is called: a client that was handed in goes on, and the store doesn't. */
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
