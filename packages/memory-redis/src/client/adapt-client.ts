import {
  clusterQueue,
  commandQueue,
  type IoredisClient,
  isIoredis,
  isIoredisCluster,
  isNodeRedisCluster,
  isNodeRedisSentinel,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisQueue,
  type NodeRedisSentinel,
  type RedisClient,
  type RedisPort,
  type SendSeveral,
  sentinelQueue,
} from "./clients.ts";

/** The client that the application passed in can't be used, e.g. because it is closed or not connected. */
export class UnusableClient extends Error {
  override readonly name = "UnusableClient";
}

// If the server refused a transaction, returns the error of the command that caused the refusal. Returns any other
// error unchanged.
function reasonOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !("previousErrors" in thrown)) return thrown;
  const { previousErrors: earlier } = thrown;
  return (Array.isArray(earlier) ? earlier[0] : undefined) ?? thrown;
}

function rethrowReason(thrown: unknown): never {
  throw reasonOf(thrown);
}

function valuesOf(results: readonly (readonly [Error | null, unknown])[] | null): readonly unknown[] {
  return (results ?? []).map(([error, reply]) => {
    if (error !== null) throw reasonOf(error);
    return reply;
  });
}

function adaptIoredis(client: IoredisClient): RedisPort {
  const calls = (commands: readonly (readonly string[])[]) =>
    commands.map((command): [string, ...string[]] => ["call", ...command]);
  return {
    // Passed as a list, because a call can't take a hundred thousand arguments.
    send: ([command = "", ...args]) => client.call(command, args),
    sendPipeline: (commands) => client.pipeline(calls(commands)).exec().then(valuesOf, rethrowReason),
    sendTransaction: (commands) => client.multi(calls(commands)).exec().then(valuesOf, rethrowReason),
    isCluster: false,
    mayResend: true,
  };
}

// The client throws one error for all replies. The first failed reply says what to do.
async function repliesOf(executed: Promise<unknown>): Promise<readonly unknown[]> {
  try {
    const replies = await executed;
    return Array.isArray(replies) ? replies : [];
  } catch (thrown) {
    if (!(thrown instanceof Error) || !("replies" in thrown) || !Array.isArray(thrown.replies)) throw thrown;
    throw thrown.replies.find((reply) => reply instanceof Error) ?? thrown;
  }
}

type Fill = (commands: readonly (readonly string[])[], key: string) => NodeRedisQueue;

const several = (fill: Fill): Pick<RedisPort, "sendPipeline" | "sendTransaction"> => ({
  sendPipeline: (commands, key) => repliesOf(fill(commands, key).execAsPipeline()),
  sendTransaction: (commands, key) => repliesOf(fill(commands, key).exec()),
});

/** After several attempts, a Cluster is still moving the key to another server. */
class SlotsMoving extends Error {
  override readonly name = "SlotsMoving";
}

const MOVES = 3;

const isMoved = (thrown: unknown): boolean =>
  thrown instanceof Error && /^(MOVED|ASK|EXECABORT)\b/.test(thrown.message);

// If a Cluster has moved the key, a client follows it only in a single command, and learns the key's new server from
// that command. So a single command is sent before the next attempt. A refused attempt has changed nothing.
function followMoves(send: RedisPort["send"], sendSeveral: SendSeveral): SendSeveral {
  return async (commands, key) => {
    for (let move = 0; move < MOVES; move++) {
      try {
        return await sendSeveral(commands, key);
      } catch (thrown) {
        if (!isMoved(thrown)) throw thrown;
        await send(["EXISTS", key], key);
      }
    }
    throw new SlotsMoving("the key is being moved");
  };
}

const inCluster = (port: RedisPort): RedisPort => ({
  ...port,
  sendPipeline: followMoves(port.send, port.sendPipeline),
  sendTransaction: followMoves(port.send, port.sendTransaction),
  isCluster: true,
});

// The client's own time limit ends when a command is sent. A connected client sends it at once, and an `AbortSignal` for each
// command would cost more than the rest of sending it.
const AT_ONCE = { timeout: 0 };

const adaptNodeRedis = (client: NodeRedisClient): RedisPort => ({
  send: (args) => client.sendCommand(args as string[], client.isReady === true ? AT_ONCE : undefined),
  ...several((commands) => {
    const queue = commandQueue(client);
    for (const command of commands) queue.addCommand([...command]);
    return queue;
  }),
  isCluster: false,
  mayResend: false,
});

const adaptSentinel = (client: NodeRedisSentinel): RedisPort => ({
  send: (args) => client.sendCommand(false, args as string[]),
  ...several((commands) => {
    const queue = sentinelQueue(client);
    for (const command of commands) queue.addCommand(false, [...command]);
    return queue;
  }),
  isCluster: false,
  mayResend: true,
});

const adaptCluster = (client: NodeRedisCluster): RedisPort => ({
  send: (args, key) => client.sendCommand(key, false, args as string[]),
  ...several((commands, key) => {
    const queue = clusterQueue(client, key);
    for (const command of commands) queue.addCommand(key, false, [...command]);
    return queue;
  }),
  isCluster: false,
  mayResend: true,
});

// The client would prefix the keys of every command, but not those that a script builds.
function hasKeyPrefix(client: IoredisClient): boolean {
  const options: unknown = "options" in client ? client.options : undefined;
  if (typeof options !== "object" || options === null || !("keyPrefix" in options)) return false;
  return typeof options.keyPrefix === "string" && options.keyPrefix !== "";
}

const notAClient = () =>
  new TypeError("Invalid Redis client: expected a client of the package `redis` or `ioredis`");

/**
 * Converts a `RedisClient` into a `RedisPort`. Throws a `TypeError` if `client` isn't a Redis client, and an {@link
 * UnusableClient} if it can't be used.
 */
export function adaptClient(client: RedisClient): RedisPort {
  if (typeof client !== "object" || client === null) throw notAClient();
  if (isIoredis(client)) {
    if (client.status === "end")
      throw new UnusableClient("the client that was passed in is closed; create a new one");
    if (hasKeyPrefix(client)) {
      throw new UnusableClient("the client has its own `keyPrefix`; pass it to the provider instead");
    }
    const port = adaptIoredis(client);
    return isIoredisCluster(client) ? inCluster(port) : port;
  }
  if (!("sendCommand" in client) || typeof client.sendCommand !== "function") throw notAClient();
  if (!client.isOpen) {
    throw new UnusableClient("the client that was passed in is not connected; await its connect() first");
  }
  if (isNodeRedisCluster(client)) return inCluster(adaptCluster(client));
  if (isNodeRedisSentinel(client)) return adaptSentinel(client);
  return adaptNodeRedis(client);
}
