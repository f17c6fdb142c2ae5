import {
  isIoredis,
  isIoredisCluster,
  isNodeRedisCluster,
  isNodeRedisSentinel,
  type RedisClient,
} from "./clients.ts";

/**
 * A setting of a Redis client that causes trouble after a connection dies: the client doesn't recover, or its calls
 * don't fail in time.
 */
export interface RedisClientFinding {
  /** The name of the setting in the client's options, e.g. `socket.socketTimeout`. */
  readonly setting: string;
  /**
   * `"missing"`: the client lacks the setting. `"unsuitable"`: the value is wrong. `"unreadable"`: the client doesn't
   * expose the setting; pass the client's options to check it.
   */
  readonly problem: "missing" | "unsuitable" | "unreadable";
  /** What happens with the current setting. */
  readonly why: string;
  /** The recommended value of the setting. */
  readonly remedy: string;
}

/** What is wrong with the value of a setting. */
type SettingProblem = Pick<RedisClientFinding, "problem" | "why">;

/** The requirement for one setting of a client. */
interface Rule {
  /** The name of the setting within the options of one connection, e.g. `socket.socketTimeout`. */
  readonly setting: string;
  readonly remedy: string;
  /**
   * Returns what is wrong with `value`, or `undefined` if `value` is right. `connection` has all options of the
   * connection.
   */
  readonly check: (value: unknown, connection: unknown) => SettingProblem | undefined;
}

const missing = (why: string): SettingProblem => ({ problem: "missing", why });

const unsuitable = (why: string): SettingProblem => ({ problem: "unsuitable", why });

/** Returns the setting at a path, e.g. `socket.socketTimeout`, or `undefined` if it isn't set. */
function settingOf(options: unknown, path: string): unknown {
  let value = options;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

const isPositive = (value: unknown): value is number => typeof value === "number" && value > 0;

const DEAD =
  "if the server vanishes without closing a connection, the connection is kept, and every call on it times out";

const offlineQueue = (setting: string, right: boolean): Rule => ({
  setting,
  remedy: String(right),
  check: (value) =>
    value === right
      ? undefined
      : missing("without a connection, calls are queued and sent later, even after they have timed out"),
});

const SOCKET_TIMEOUT = "30_000, or more than the duration of the slowest call";

/** Rules for the options of one connection of the library `redis`. */
const nodeRedisRules: readonly Rule[] = [
  {
    setting: "socket.socketTimeout",
    remedy: SOCKET_TIMEOUT,
    check: (value) => (isPositive(value) ? undefined : missing(DEAD)),
  },
  {
    setting: "socket.reconnectStrategy",
    remedy: "(retries) => Math.min(50 * 2 ** retries, 2_000)",
    check: (value) => {
      if (value === undefined) return missing("after a socketTimeout, the client closes permanently");
      return value === false ? unsuitable("a broken connection is never replaced") : undefined;
    },
  },
  {
    setting: "pingInterval",
    remedy: "10_000, and less than socket.socketTimeout",
    check: (value, connection) => {
      if (!isPositive(value)) {
        return missing(
          "a dead idle connection isn't detected, or, with a socketTimeout, each idle connection is closed",
        );
      }
      const timeout = settingOf(connection, "socket.socketTimeout");
      return isPositive(timeout) && value >= timeout
        ? unsuitable("the socketTimeout closes an idle connection before the ping")
        : undefined;
    },
  },
];

/** Rules for a client of the library `redis` that has one connection: not a pool, Cluster or Sentinel client. */
const nodeRedisClientRules: readonly Rule[] = [...nodeRedisRules, offlineQueue("disableOfflineQueue", true)];

/** Rules for the options of one connection of an `ioredis` Cluster. */
const ioredisNodeRules: readonly Rule[] = [
  {
    setting: "socketTimeout",
    remedy: SOCKET_TIMEOUT,
    check: (value) => (isPositive(value) ? undefined : missing(DEAD)),
  },
];

const retries = (setting: string, otherwise: string): Rule => ({
  setting,
  remedy: "(retries) => Math.min(50 * 2 ** retries, 2_000)",
  check: (value) => (typeof value === "function" ? undefined : unsuitable(otherwise)),
});

/** Rules for a client of the library `ioredis` that has one connection, with or without Sentinels. */
const ioredisClientRules: readonly Rule[] = [
  ...ioredisNodeRules,
  {
    setting: "keepAlive",
    remedy: "10_000",
    check: (value) =>
      isPositive(value)
        ? undefined
        : missing("the operating system checks idle connections only after two hours"),
  },
  retries("retryStrategy", "a broken connection is never replaced"),
  offlineQueue("enableOfflineQueue", false),
];

/** Rules for the options of an `ioredis` Cluster as a whole. */
const ioredisClusterRules: readonly Rule[] = [
  retries("clusterRetryStrategy", "the client never reconnects after all connections to the Cluster broke"),
];

/**
 * Where the options of each connection are within the options of a client: the field `path`, e.g. `defaults`. `""`: the
 * options of the client are those of its connection.
 */
interface OptionsLocation {
  /** The options of the client. `undefined`: the client doesn't expose them. */
  readonly options: unknown;
  readonly path: string;
}

function check({ options, path }: OptionsLocation, rules: readonly Rule[]): readonly RedisClientFinding[] {
  const connection = path === "" ? options : settingOf(options, path);
  return rules.flatMap((rule): readonly RedisClientFinding[] => {
    const setting = path === "" ? rule.setting : `${path}.${rule.setting}`;
    if (options === undefined) {
      const problem = rule.check(undefined, undefined);
      const why = `if it isn't set: ${problem?.why ?? ""}`;
      return [{ setting, problem: "unreadable", why, remedy: rule.remedy }];
    }
    const problem = rule.check(settingOf(connection, rule.setting), connection);
    return problem === undefined ? [] : [{ setting, ...problem, remedy: rule.remedy }];
  });
}

/** Returns a finding if a client of the library `redis` has no listener for the event `error`. */
function checkListeners(client: RedisClient): readonly RedisClientFinding[] {
  const count: unknown = Reflect.get(client, "listenerCount");
  if (typeof count !== "function" || Number(count.call(client, "error")) > 0) return [];
  const why = "without a listener, a connection that breaks ends the process";
  return [{ setting: 'on("error")', problem: "missing", why, remedy: "a listener, e.g. one that logs" }];
}

function diagnoseNodeRedis(client: RedisClient, given: object | undefined): readonly RedisClientFinding[] {
  if (isNodeRedisCluster(client)) {
    return check({ options: given ?? settingOf(client, "_options"), path: "defaults" }, nodeRedisRules);
  }
  if (isNodeRedisSentinel(client))
    return check({ options: given, path: "nodeClientOptions" }, nodeRedisRules);
  const isPool = "totalClients" in client;
  if (isPool) return check({ options: given, path: "" }, nodeRedisRules);
  return check({ options: given ?? settingOf(client, "options"), path: "" }, nodeRedisClientRules);
}

/**
 * Finds settings that cause trouble after a connection dies without being closed: the client doesn't recover, or its
 * calls don't fail in time. Returns an empty list if all settings are right. Does no I/O, so the client needn't be
 * connected.
 *
 * `options`: the options with which the client was created. Pools and Sentinel clients of `redis` don't expose their
 * options. For these clients, without `options`, each setting is reported as `"unreadable"`.
 *
 * @example
 * ```ts
 * import { diagnoseRedisClient } from "@jaf/memory-redis";
 * import { createClient } from "redis";
 *
 * const client = createClient({ url: "redis://localhost:6379", disableOfflineQueue: true });
 * client.on("error", (error) => console.error("Redis:", error.message));
 *
 * for (const { setting, why, remedy } of diagnoseRedisClient(client)) {
 *   console.warn(`Redis client: ${setting}: ${why}. Set ${remedy}.`);
 * }
 * ```
 */
export function diagnoseRedisClient(client: RedisClient, options?: object): readonly RedisClientFinding[] {
  if (!isIoredis(client)) return [...diagnoseNodeRedis(client, options), ...checkListeners(client)];
  const given = options ?? settingOf(client, "options");
  if (!isIoredisCluster(client)) return check({ options: given, path: "" }, ioredisClientRules);
  return [
    ...check({ options: given, path: "redisOptions" }, ioredisNodeRules),
    ...check({ options: given, path: "" }, ioredisClusterRules),
  ];
}
