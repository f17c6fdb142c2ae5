import {
  isIoredis,
  isIoredisCluster,
  isNodeRedisCluster,
  isNodeRedisSentinel,
  type RedisClient,
} from "../client/clients.ts";
import { type RedisClientFinding, type Rule, settingOf } from "./finding.ts";
import {
  ioredisClientRules,
  ioredisClusterRules,
  ioredisNodeRules,
  nodeRedisClientRules,
  nodeRedisRules,
} from "./rules.ts";

/** Where the options of single connections are, within those of the client: `""`, or e.g. `defaults`. */
interface OptionsLocation {
  /** `undefined`: the client doesn't show them. */
  readonly options: unknown;
  readonly path: string;
}

function judge({ options, path }: OptionsLocation, rules: readonly Rule[]): readonly RedisClientFinding[] {
  const connection = path === "" ? options : settingOf(options, path);
  return rules.flatMap((rule): readonly RedisClientFinding[] => {
    const setting = path === "" ? rule.setting : `${path}.${rule.setting}`;
    if (options === undefined) {
      const verdict = rule.judge(undefined, undefined);
      const why = `where it isn't set, ${verdict?.why ?? ""}`;
      return [{ setting, problem: "unreadable", why, remedy: rule.remedy }];
    }
    const verdict = rule.judge(settingOf(connection, rule.setting), connection);
    return verdict === undefined ? [] : [{ setting, ...verdict, remedy: rule.remedy }];
  });
}

/** Of `redis` only: `ioredis` prints what nobody listens to. */
function judgeListeners(client: RedisClient): readonly RedisClientFinding[] {
  const count: unknown = Reflect.get(client, "listenerCount");
  if (typeof count !== "function" || Number(count.call(client, "error")) > 0) return [];
  const why = "a connection that breaks while nobody listens ends the process";
  return [{ setting: 'on("error")', problem: "missing", why, remedy: "a listener, e.g. one that logs" }];
}

function diagnoseNodeRedis(client: RedisClient, given: object | undefined): readonly RedisClientFinding[] {
  if (isNodeRedisCluster(client)) {
    return judge({ options: given ?? settingOf(client, "_options"), path: "defaults" }, nodeRedisRules);
  }
  if (isNodeRedisSentinel(client))
    return judge({ options: given, path: "nodeClientOptions" }, nodeRedisRules);
  const isPool = "totalClients" in client;
  if (isPool) return judge({ options: given, path: "" }, nodeRedisRules);
  return judge({ options: given ?? settingOf(client, "options"), path: "" }, nodeRedisClientRules);
}

/**
 * Finds settings because of which a client that you pass in doesn't recover when a connection dies without being closed, or
 * doesn't fail in time meanwhile. Empty: there are none. Does no I/O; the client needn't be connected.
 *
 * `options`: those that the client was created with. Pools and Sentinel clients of `redis` don't expose them: without this
 * argument, each of their settings is `"unreadable"`.
 */
export function diagnoseRedisClient(client: RedisClient, options?: object): readonly RedisClientFinding[] {
  if (!isIoredis(client)) return [...diagnoseNodeRedis(client, options), ...judgeListeners(client)];
  const given = options ?? settingOf(client, "options");
  if (!isIoredisCluster(client)) return judge({ options: given, path: "" }, ioredisClientRules);
  return [
    ...judge({ options: given, path: "redisOptions" }, ioredisNodeRules),
    ...judge({ options: given, path: "" }, ioredisClusterRules),
  ];
}
