import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";

/**
 * At most one complete hash tag and no other braces. The hash tag decides on which server of a Cluster the keys are.
 */
const KEY_PREFIX = /^[^{}]*(\{[^{}]+\}[^{}]*)?$/;

const NOT_IN_A_KEY = /[\0\p{Surrogate}]/u;

/** Checks what both clients parse from the URL: their own errors quote a bad URL, password included. */
function isRedisUrl(text: string): boolean {
  try {
    const { protocol, username, password, pathname } = new URL(text);
    decodeURIComponent(username + password);
    return /^rediss?:$/.test(protocol) && /^(\/\d*)?$/.test(pathname);
  } catch {
    return false;
  }
}

const schema = z.strictObject({
  /** Selects this package in `createMemoryProvider`. Not needed elsewhere. */
  type: z.literal("redis").default("redis"),
  /** The name or address of the server. Default `"localhost"`. */
  host: z.string().min(1).default("localhost"),
  /** The port of the server. Default 6379. */
  port: z.int().min(1).max(65_535).default(6379),
  /** The user. Default: the server's default user. */
  username: z.string().min(1).optional(),
  /** The user's password. Default: none. */
  password: z.string().optional(),
  /** The number of the database. Default 0. A Cluster has only 0. */
  db: z.int().min(0).default(0),
  /** `redis://user:password@host:port/db`, or `rediss://` for TLS. Replaces the fields above. */
  url: z
    .string()
    .refine(isRedisUrl, {
      error:
        "expected redis:// or rediss:// with user, password, host, port and database number, with special characters percent-encoded",
    })
    .optional(),
  /** The name of this field in Postgres's configuration. It exists only for an error that names the right field. */
  connectionString: z.never({ error: "expected it in the field url" }).optional(),
  /**
   * The start of every key. Default `"jaf:memory:"`. If several prefixes share a database, a prefix must not begin with
   * another one. A hash tag in the prefix, e.g. `"{tenant-1}:"`, keeps all keys on one server of a Cluster.
   */
  keyPrefix: z
    .string()
    .max(200)
    .regex(KEY_PREFIX, { error: "expected no braces except for one hash tag, e.g. {tenant}:" })
    .refine((prefix) => !NOT_IN_A_KEY.test(prefix), { error: "expected no NUL and no unpaired surrogate" })
    .default("jaf:memory:"),
  /**
   * Seconds after the last read or write until a conversation expires. A write's `ttlSeconds` takes precedence.
   * Default: no expiry.
   */
  ttl: z.int().min(1).optional(),
  /**
   * The number of replicas that must have a write before it succeeds. Default 0: since Redis replicates asynchronously,
   * a write is lost if the server fails directly after it. Above 0, each write waits for the replicas, so use a pool of
   * connections.
   */
  minReplicas: z.int().min(0).default(0),
  /**
   * Milliseconds until a command fails. The server may still complete it. The provider's own connection is replaced if
   * no reply arrives for this long. Default 30,000.
   */
  commandTimeoutMs: z.int().min(1).max(2_147_483_647).default(30_000),
});

type Schema = typeof schema;

/** The type of {@link redisConfigSchema}. */
export interface RedisConfigSchema extends Schema {}

/** The zod schema of {@link RedisConfig}, e.g. to check a configuration file early. It refuses unknown fields. */
export const redisConfigSchema: RedisConfigSchema = schema;

/** The configuration of the stores in Redis: the server, the start of the keys, and time limits. */
export interface RedisConfig extends z.input<Schema> {}

/** The configuration with its defaults. */
export interface RedisSettings extends z.output<Schema> {}

/** Throws a `TypeError` that names the field and the expected value, but never contains the actual value. */
export const parseConfig = (config: RedisConfig): RedisSettings =>
  parseOptions(redisConfigSchema, config, "Redis provider configuration");
