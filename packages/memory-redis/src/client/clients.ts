/*
 * Structural types of the clients that applications pass. Any version with these methods works, and no driver is
 * imported for its types.
 */

type Command = string[];

export interface NodeRedisQueue {
  exec(): Promise<unknown>;
  execAsPipeline(): Promise<unknown>;
}

interface CommandQueue extends NodeRedisQueue {
  addCommand(args: Command): unknown;
}

interface SentinelQueue extends NodeRedisQueue {
  addCommand(isReadonly: boolean, args: Command): unknown;
}

interface ClusterQueue extends NodeRedisQueue {
  addCommand(firstKey: string, isReadonly: boolean, args: Command): unknown;
}

interface NodeRedis {
  /** Whether `connect` was called and the client hasn't been closed. */
  readonly isOpen: boolean;
  /** Begins a queue of commands that are sent together. */
  multi(key?: string): unknown;
}

/** A connected client or pool of the library `redis`, made by `createClient()` or `createClientPool()`. */
export interface NodeRedisClient extends NodeRedis {
  /** Whether the client is connected, so it sends commands at once. Absent on a pool. */
  readonly isReady?: boolean;
  /** Sends a command. `args` has the command's name and its arguments. `timeout`: how long it may wait to be sent, in ms. */
  sendCommand(args: Command, options?: { timeout?: number }): Promise<unknown>;
}

/** A connected Sentinel client of the library `redis`, made by `createSentinel()`. */
export interface NodeRedisSentinel extends NodeRedis {
  /** Sends a command to a replica if `isReadonly` is true, else to the master. */
  sendCommand(isReadonly: boolean, args: Command): Promise<unknown>;
  /** Never called. Only Sentinel clients have this method, so this package recognizes them by it. */
  getMasterNode(): unknown;
}

/** A connected Cluster client of the library `redis`, made by `createCluster()`. */
export interface NodeRedisCluster extends NodeRedis {
  /** Sends a command to the server that has the key `firstKey`. */
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: Command): Promise<unknown>;
  /** Never read. Only Cluster clients have this field, so this package recognizes them by it. */
  readonly slots: unknown;
}

interface IoredisPipeline {
  exec(): Promise<readonly (readonly [Error | null, unknown])[] | null>;
}

/** A client of the library `ioredis`: a `new Redis()`, with or without the option `sentinels`, or a `new Cluster()`. */
export interface IoredisClient {
  /** Sends a command. `args` has the arguments without the command's name. */
  call(command: string, args: string[]): Promise<unknown>;
  /** Makes a pipeline: commands that are sent together. */
  pipeline(commands: [string, ...string[]][]): IoredisPipeline;
  /** Makes a transaction: commands that the server runs without other commands in between. */
  multi(commands: [string, ...string[]][]): IoredisPipeline;
  /** The state of the connection, e.g. `"ready"`. */
  readonly status: string;
}

/**
 * A client that the application passes to this package. The package never closes it. It is a connected client, pool,
 * Cluster or Sentinel client of `redis` 5.12 or later, or a client or Cluster of `ioredis` 5.11 or later.
 */
export type RedisClient = NodeRedisClient | NodeRedisSentinel | NodeRedisCluster | IoredisClient;

export const isIoredis = (client: RedisClient): client is IoredisClient =>
  "call" in client && typeof client.call === "function" && "status" in client;

export const isIoredisCluster = (client: IoredisClient): boolean =>
  "nodes" in client && typeof client.nodes === "function";

export const isNodeRedisCluster = (client: RedisClient): client is NodeRedisCluster =>
  "slots" in client && "sendCommand" in client;

export const isNodeRedisSentinel = (client: RedisClient): client is NodeRedisSentinel =>
  "getMasterNode" in client && "sendCommand" in client;

export const commandQueue = (client: NodeRedisClient) => client.multi() as CommandQueue;
export const sentinelQueue = (client: NodeRedisSentinel) => client.multi() as SentinelQueue;
export const clusterQueue = (client: NodeRedisCluster, key: string) => client.multi(key) as ClusterQueue;

export type SendSeveral = (
  commands: readonly (readonly string[])[],
  key: string,
) => Promise<readonly unknown[]>;

/** A client of any supported library, with the same functions for all libraries. */
export interface RedisPort {
  /** Sends one command to the server that has the key `key`. Without `key`, sends it to any server. */
  readonly send: (args: readonly string[], key?: string) => Promise<unknown>;
  /** Sends several commands directly after each other, on one connection to the server that has the key `key`. */
  readonly sendPipeline: SendSeveral;
  /** Sends several commands as one transaction to the server that has the key `key`. */
  readonly sendTransaction: SendSeveral;
  /** Whether the server is a Cluster, so keys may be on different servers. */
  readonly isCluster: boolean;
  /** Whether the client may send a command a second time after it has lost the connection. */
  readonly mayResend: boolean;
  /** Must be called each time a command gets no reply within its time limit. Absent: nothing must be called. */
  readonly onTimeout?: () => void;
}
