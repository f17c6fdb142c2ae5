import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";

/** A `keyPrefix` may contain one hash tag (a text in braces), and no other braces. */
const KEY_PREFIX = /^[^{}]*(\{[^{}]+\}[^{}]*)?$/;

const NOT_IN_A_KEY = /[\0\p{Surrogate}]/u;

/** Returns whether a text is a valid Redis URL. */
function isRedisUrl(text: string): boolean {
  // Checked before a client library gets the URL: the libraries quote an invalid URL, and so its password, in their
  // errors.
  try {
    const { protocol, username, password, pathname } = new URL(text);
    decodeURIComponent(username + password);
    return /^rediss?:$/.test(protocol) && /^(\/\d*)?$/.test(pathname);
  } catch {
    return false;
  }
}

const schema = z.strictObject({
  /** Selects this package if the configuration is passed to `createMemoryProvider`. No other function needs it. */
  type: z.literal("redis").default("redis"),
  /** The name or address of the server. Default `"localhost"`. */
  host: z.string().min(1).default("localhost"),
  /** The port of the server. Default 6379. */
  port: z.int().min(1).max(65_535).default(6379),
  /** The user name for the login. Default: the server's default user. */
  username: z.string().min(1).optional(),
  /** The user's password. Default: none. */
  password: z.string().optional(),
  /** The number of the database. Default 0. A Cluster has only database 0. */
  db: z.int().min(0).default(0),
  /**
   * `redis://user:password@host:port/db`, or `rediss://` for TLS. Replaces the fields `host`, `port`, `username`,
   * `password` and `db`.
   */
  url: z
    .string()
    .refine(isRedisUrl, {
      error:
        "expected redis:// or rediss:// with user, password, host, port and database number, with special characters percent-encoded",
    })
    .optional(),
  /** Always refused, with an error that says to use the field `url`. */
  connectionString: z.never({ error: "expected it in the field url" }).optional(),
  /**
   * The prefix of every key in Redis. Default `"jaf:memory:"`. If several stores with different prefixes share a
   * database, no prefix may begin with another one: `"app:"` and `"app:test:"` are wrong. A hash tag in the prefix (a
   * text in braces, e.g. `"{tenant-1}:"`) keeps all keys on one server of a Cluster.
   */
  keyPrefix: z
    .string()
    .max(200)
    .regex(KEY_PREFIX, { error: "expected no braces except for one hash tag, e.g. {tenant}:" })
    .refine((prefix) => !NOT_IN_A_KEY.test(prefix), { error: "expected no NUL and no unpaired surrogate" })
    .default("jaf:memory:"),
  /**
   * Seconds after the last read or write until a conversation expires. Default: no expiry. A write with the option
   * `ttlSeconds` replaces this time: its conversation expires `ttlSeconds` after the last write, even if it is read.
   */
  ttl: z.int().min(1).optional(),
  /**
   * The number of replicas that must have a write before the write succeeds. Default 0: a write may be lost if the
   * server fails directly after it. Above 0, each write occupies its connection while it waits for the replicas, so use
   * a pool of connections.
   */
  minReplicas: z.int().min(0).default(0),
  /**
   * Milliseconds until a command without a reply fails. Default 30,000. The server may still execute the command. A
   * connection that the store opened itself is replaced if commands wait on it and none of them gets a reply for this
   * long.
   */
  commandTimeoutMs: z.int().min(1).max(2_147_483_647).default(30_000),
});

type Schema = typeof schema;

/** The type of {@link redisConfigSchema}. */
export interface RedisConfigSchema extends Schema {}

/**
 * The zod schema of {@link RedisConfig}. Use it to check a configuration early, e.g. when you load a file. It refuses
 * unknown fields.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { redisConfigSchema } from "@jaf/memory-redis";
 *
 * const parsed = redisConfigSchema.safeParse(JSON.parse(await readFile("memory.json", "utf8")));
 * if (!parsed.success) console.error(parsed.error.message);
 * ```
 */
export const redisConfigSchema: RedisConfigSchema = schema;

/** The configuration of a store in Redis: the server, the prefix of the keys, and time limits. */
export interface RedisConfig extends z.input<Schema> {}

/** A {@link RedisConfig} after it was parsed, with all defaults filled in. */
export interface RedisSettings extends z.output<Schema> {}

/** Returns the configuration with its defaults. Throws a `TypeError` if a field is invalid. */
export const parseConfig = (config: RedisConfig): RedisSettings =>
  parseOptions(redisConfigSchema, config, "Redis provider configuration");
