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
  /** Whether `connect` was called and the client isn't closed. */
  readonly isOpen: boolean;
  /** Begins a queue of commands. */
  multi(key?: string): unknown;
}

/** A connected `createClient()` or `createClientPool()` of `redis`. */
export interface NodeRedisClient extends NodeRedis {
  /** Sends a command, given as its name and arguments. */
  sendCommand(args: Command): Promise<unknown>;
}

/** A connected `createSentinel()` of `redis`. */
export interface NodeRedisSentinel extends NodeRedis {
  /** Sends a command to the master, or to a replica if `isReadonly`. */
  sendCommand(isReadonly: boolean, args: Command): Promise<unknown>;
  /** Distinguishes a Sentinel client from others. Never called. */
  getMasterNode(): unknown;
}

/** A connected `createCluster()` of `redis`. */
export interface NodeRedisCluster extends NodeRedis {
  /** Sends a command to the server that has `firstKey`. */
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: Command): Promise<unknown>;
  /** Distinguishes a Cluster client from others. Never read. */
  readonly slots: unknown;
}

interface IoredisPipeline {
  exec(): Promise<readonly (readonly [Error | null, unknown])[] | null>;
}

/** A `new Redis()`, also with `sentinels`, or a `new Cluster()` of `ioredis`. */
export interface IoredisClient {
  /** Sends a command. */
  call(command: string, args: string[]): Promise<unknown>;
  /** Makes a pipeline of commands. */
  pipeline(commands: [string, ...string[]][]): IoredisPipeline;
  /** Makes a transaction of commands. */
  multi(commands: [string, ...string[]][]): IoredisPipeline;
  /** The state of the connection, e.g. `"ready"`. */
  readonly status: string;
}

/**
 * A client that you pass to this package: a connected client, pool, Cluster or Sentinel client of `redis` 5.12 or later, or a
 * client or Cluster of `ioredis` 5.11 or later. This package never closes it.
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

/** The calls that the package needs from a client. */
export interface RedisPort {
  /**
   * Sends one command to the server that has `key`, or to any server without one. Replies of scripts consist of
   * strings, numbers, `null` and arrays of these.
   */
  readonly send: (args: readonly string[], key?: string) => Promise<unknown>;
  /** Sends several commands directly after each other on one connection to the server that has `key`. */
  readonly sendPipeline: SendSeveral;
  /** Sends several commands as one transaction. */
  readonly sendTransaction: SendSeveral;
  /** Whether keys may be on different servers. */
  readonly isCluster: boolean;
  /**
   * Whether the client may resend a command after a lost connection, without knowing whether the server executed it.
   */
  readonly mayResend: boolean;
  /** Called when a call gets no reply in time. */
  readonly onTimeout?: () => void;
}
