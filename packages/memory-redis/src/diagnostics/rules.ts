import { isPositive, missing, type Rule, settingOf, unsuitable } from "./finding.ts";

const DEAD =
  "a connection whose other side is gone without any sign is kept, and every call on it fails by timeout, for ever";

const offlineQueue = (setting: string, right: boolean): Rule => ({
  setting,
  remedy: String(right),
  judge: (value) =>
    value === right
      ? undefined
      : missing(
          "without a connection calls wait, and are sent later, also those that were given up meanwhile",
        ),
});

const SOCKET_TIMEOUT = "30_000, or more than the slowest call may take";

/** Of one connection of `redis`. */
export const nodeRedisRules: readonly Rule[] = [
  {
    setting: "socket.socketTimeout",
    remedy: SOCKET_TIMEOUT,
    judge: (value) => (isPositive(value) ? undefined : missing(DEAD)),
  },
  {
    setting: "socket.reconnectStrategy",
    remedy: "(retries) => Math.min(50 * 2 ** retries, 2_000)",
    judge: (value) => {
      if (value === undefined) return missing("after a socketTimeout the client closes itself for good");
      return value === false ? unsuitable("a connection that broke is never made again") : undefined;
    },
  },
  {
    setting: "pingInterval",
    remedy: "10_000, and less than socket.socketTimeout",
    judge: (value, connection) => {
      if (!isPositive(value)) {
        return missing(
          "nobody notices that an idle connection is dead, or, with a socketTimeout, each idle one is closed",
        );
      }
      const timeout = settingOf(connection, "socket.socketTimeout");
      return isPositive(timeout) && value >= timeout
        ? unsuitable("an idle connection is closed by its socketTimeout before it is pinged")
        : undefined;
    },
  },
];

/** Of a client of `redis` that is one connection. */
export const nodeRedisClientRules: readonly Rule[] = [
  ...nodeRedisRules,
  offlineQueue("disableOfflineQueue", true),
];

/** Of one connection of a Cluster of `ioredis`. */
export const ioredisNodeRules: readonly Rule[] = [
  {
    setting: "socketTimeout",
    remedy: SOCKET_TIMEOUT,
    judge: (value) => (isPositive(value) ? undefined : missing(DEAD)),
  },
];

const retries = (setting: string, otherwise: string): Rule => ({
  setting,
  remedy: "(retries) => Math.min(50 * 2 ** retries, 2_000)",
  judge: (value) => (typeof value === "function" ? undefined : unsuitable(otherwise)),
});

/** Of a client of `ioredis`, also by Sentinels. */
export const ioredisClientRules: readonly Rule[] = [
  ...ioredisNodeRules,
  {
    setting: "keepAlive",
    remedy: "10_000",
    judge: (value) =>
      isPositive(value)
        ? undefined
        : missing(
            "the system asks after two hours whether the other side of an idle connection is still there",
          ),
  },
  retries("retryStrategy", "a connection that broke is never made again"),
  offlineQueue("enableOfflineQueue", false),
];

/** Of a Cluster of `ioredis` as a whole. */
export const ioredisClusterRules: readonly Rule[] = [
  retries("clusterRetryStrategy", "a Cluster all of whose connections broke is never connected again"),
];
