import { parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";

/** No name that a key can't have, and at most one hash tag, whole: it decides on which server of a Cluster the keys are. */
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

export const redisConfigSchema = z.lazy(() =>
  z.strictObject({
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
    /** What Postgres calls its URL: for an error that says where it belongs. */
    connectionString: z.never({ error: "expected it in the field url" }).optional(),
    /**
     * What every key begins with. Default `"jaf:memory:"`. Two providers on one database have the same prefix or two of
     * which neither begins with the other. A hash tag in it, e.g. `"{tenant-1}:"`, keeps all keys on one server of a
     * Cluster.
     */
    keyPrefix: z
      .string()
      .max(200)
      .regex(KEY_PREFIX, { error: "expected no braces but those of one hash tag, e.g. {tenant}:" })
      .refine((prefix) => !NOT_IN_A_KEY.test(prefix), { error: "expected no NUL and no unpaired surrogate" })
      .default("jaf:memory:"),
    /** Seconds without a read or a write until a conversation is gone, where the write named none. Default: kept for ever. */
    ttl: z.int().min(1).optional(),
    /**
     * How many replicas must have a write before it is a success. Default 0: a server that fails right after a write may
     * take it along, since Redis replicates afterwards. A write then waits for them, so use a pool of connections.
     */
    minReplicas: z.int().min(0).default(0),
    /**
     * Milliseconds until a command is given up; the server may still complete it. A connection of the provider's own that
     * brought no reply at all for so long is replaced. Default 30,000.
     */
    commandTimeoutMs: z.int().min(1).max(2_147_483_647).default(30_000),
  }),
);

export type RedisConfig = z.input<typeof redisConfigSchema>;
export type RedisSettings = z.output<typeof redisConfigSchema>;

/** Throws a `TypeError` that names the field and what was expected, and never the value. */
export const parseConfig = (config: RedisConfig): RedisSettings =>
  parseOptions(redisConfigSchema, config, "Redis provider configuration");
