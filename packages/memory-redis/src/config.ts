import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";

/** No unpaired braces, and at most one complete hash tag: it decides on which server of a Cluster the keys are. */
const KEY_PREFIX = /^[^{}]*(\{[^{}]+\}[^{}]*)?$/;

const NOT_IN_A_KEY = /[\0\p{Surrogate}]/u;

/** As both clients will read it: what they make of a bad one is an error that quotes it, password included. */
function isRedisUrl(text: string): boolean {
  try {
    const { protocol, username, password, pathname } = new URL(text);
    decodeURIComponent(username + password);
    return /^rediss?:$/.test(protocol) && /^(\/\d*)?$/.test(pathname);
  } catch {
    return false;
  }
}

export const redisConfigSchema = z.strictObject({
  type: z.literal("redis").default("redis"),
  host: z.string().min(1).default("localhost"),
  port: z.int().min(1).max(65_535).default(6379),
  username: z.string().min(1).optional(),
  password: z.string().optional(),
  /** Number of the database. A Cluster has 0 only. */
  db: z.int().min(0).default(0),
  /** `redis://user:password@host:port/db`, or `rediss://` for TLS, in place of the fields above. */
  url: z
    .string()
    .refine(isRedisUrl, {
      error:
        "expected redis:// or rediss:// with user, password, host, port and number of the database, special characters percent-encoded",
    })
    .optional(),
  /** The name that Postgres uses for its URL: accepted only to name the right field in the error. */
  connectionString: z.never({ error: "expected it in the field url" }).optional(),
  /**
   * The start of every key. Default `"jaf:memory:"`. Of two different prefixes on one
   * database, neither may begin with the other. A hash tag in it, e.g. `"{tenant-1}:"`, keeps all keys on one server of a
   * Cluster.
   */
  keyPrefix: z
    .string()
    .max(200)
    .regex(KEY_PREFIX, { error: "expected no braces but those of one hash tag, e.g. {tenant}:" })
    .refine((prefix) => !NOT_IN_A_KEY.test(prefix), { error: "expected no NUL and no unpaired surrogate" })
    .default("jaf:memory:"),
  /**
   * Seconds without a read or a write until a conversation expires, unless a write gave `ttlSeconds`. Default: kept for
   * ever.
   */
  ttl: z.int().min(1).optional(),
  /**
   * How many replicas must have a write before it succeeds. Default 0: a write may be lost if the server fails right
   * after it, since Redis replicates asynchronously. Above 0 each write waits for replicas, so use a pool of connections.
   */
  minReplicas: z.int().min(0).default(0),
  /**
   * Milliseconds until a command fails; the server may still complete it. The provider's own connection is
   * replaced if it brings no reply at all for this long. Default 30,000.
   */
  commandTimeoutMs: z.int().min(1).max(2_147_483_647).default(30_000),
});

export type RedisConfig = z.input<typeof redisConfigSchema>;
export type RedisSettings = z.output<typeof redisConfigSchema>;

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
export const parseConfig = (config: RedisConfig): RedisSettings =>
  parseOptions(redisConfigSchema, config, "Redis provider configuration");
