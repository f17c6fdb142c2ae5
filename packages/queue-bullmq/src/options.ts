import { parseOptions } from "@jaf/memory/adapter";
import type { ConnectionOptions } from "bullmq";
import * as z from "zod";

/** Whether a text is a URL of Redis. */
function isRedisUrl(text: string): boolean {
  // Checked before ioredis gets the URL, because ioredis quotes an invalid URL, and so its password, in its errors.
  try {
    return /^rediss?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether a value is a client of ioredis: only these have `defineCommand`. */
const isIoredis = (value: object): value is { readonly options?: unknown } =>
  "defineCommand" in value && typeof value.defineCommand === "function";

/** Returns why BullMQ can't use a connection, or `undefined` if it can. */
function connectionFault(connection: unknown): string | undefined {
  if (typeof connection === "string")
    return isRedisUrl(connection) ? undefined : "expected redis:// or rediss:// with host and port";
  if (!isObject(connection)) return "expected a URL, options of ioredis, or a client of ioredis or redis";
  if (!isIoredis(connection) || !isObject(connection.options)) return undefined;
  const { options } = connection;
  const ofServer =
    "redisOptions" in options && isObject(options.redisOptions) ? options.redisOptions : options;
  // BullMQ refuses such clients only as a worker begins.
  if ("maxRetriesPerRequest" in ofServer && ofServer.maxRetriesPerRequest !== null)
    return "expected a client of ioredis with maxRetriesPerRequest: null, which workers need";
  if ("keyPrefix" in ofServer && ofServer.keyPrefix)
    return "expected a client of ioredis without keyPrefix; use the option prefix";
  return undefined;
}

const optionsSchema = z.strictObject({
  connection: z.custom<string | ConnectionOptions>().superRefine((connection, { addIssue }) => {
    const message = connectionFault(connection);
    if (message !== undefined) addIssue({ code: "custom", message });
  }),
  name: z
    .string()
    .min(1)
    .regex(/^[^:]*$/, { error: "expected no colon" })
    .default("jaf-turns"),
  prefix: z.string().min(1).default("bull"),
});

/** Options of `createBullMQQueue`. */
export interface BullMQQueueOptions {
  /**
   * The Redis server:
   *
   * - a URL `redis://user:password@host:port/db`, or `rediss://` for TLS,
   * - options of ioredis (e.g. `{ host, port, password, tls }`),
   * - or a client of `ioredis` or `redis`. The queue doesn't close it. Each worker opens a copy of it for the command that
   *   waits for turns. A client of ioredis needs `maxRetriesPerRequest: null`.
   *
   * For a URL or options, `ioredis` must be installed, and the queue opens and closes its own connections.
   */
  readonly connection: string | ConnectionOptions;
  /** The name of the queue in BullMQ, without a colon. Default `"jaf-turns"`. */
  readonly name?: string;
  /**
   * The first part of all keys in Redis. Default `"bull"`, where dashboards of BullMQ look. A Redis Cluster needs a hash
   * tag (e.g. `"{jaf}"`), so that all keys are on one server.
   */
  readonly prefix?: string;
}

/** {@link BullMQQueueOptions} with defaults filled in. */
export type QueueSettings = Required<BullMQQueueOptions>;

/** Returns the options with defaults filled in. Throws a `TypeError` that names an invalid option. */
export const parseQueueOptions = (options: BullMQQueueOptions): QueueSettings =>
  parseOptions(optionsSchema, options, "options of createBullMQQueue");
