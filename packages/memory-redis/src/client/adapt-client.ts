import {
  clusterQueue,
  commandQueue,
  type IoredisClient,
  isIoredis,
  isNodeRedisCluster,
  isNodeRedisSentinel,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisSentinel,
  type RedisClient,
  sentinelQueue,
} from "./clients.ts";
import type { RedisPort } from "./port.ts";

/** A client that can't be used as it is. */
export class UnusableClient extends Error {
  override readonly name = "UnusableClient";
}

function failOnNull(results: readonly (readonly [Error | null, unknown])[] | null): readonly unknown[] {
  return (results ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}

const adaptIoredis = (client: IoredisClient): RedisPort => ({
  send: ([command = "", ...args]) => client.call(command, ...args),
  sendInTurn: async (commands) =>
    failOnNull(
      await client.pipeline(commands.map((command) => [...command] as [string, ...string[]])).exec(),
    ),
  isCluster: "nodes" in client && typeof client.nodes === "function",
  mayResend: true,
});

// One error stands for all the replies; the first that failed says what to do.
async function firstFailure(execute: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  try {
    return await execute();
  } catch (thrown) {
    if (!(thrown instanceof Error) || !("replies" in thrown) || !Array.isArray(thrown.replies)) throw thrown;
    throw thrown.replies.find((reply) => reply instanceof Error) ?? thrown;
  }
}

const adaptNodeRedis = (client: NodeRedisClient): RedisPort => ({
  send: (args) => client.sendCommand(args as string[]),
  sendInTurn: (commands) => {
    const queue = commandQueue(client);
    for (const command of commands) queue.addCommand([...command]);
    return firstFailure(() => queue.execAsPipeline());
  },
  isCluster: false,
  mayResend: false,
});

const adaptSentinel = (client: NodeRedisSentinel): RedisPort => ({
  send: (args) => client.sendCommand(false, args as string[]),
  sendInTurn: (commands) => {
    const queue = sentinelQueue(client);
    for (const command of commands) queue.addCommand(false, [...command]);
    return firstFailure(() => queue.execAsPipeline());
  },
  isCluster: false,
  mayResend: true,
});

const adaptCluster = (client: NodeRedisCluster): RedisPort => ({
  send: (args, key) => client.sendCommand(key, false, args as string[]),
  sendInTurn: (commands, key) => {
    const queue = clusterQueue(client, key);
    for (const command of commands) queue.addCommand(key, false, [...command]);
    return firstFailure(() => queue.execAsPipeline());
  },
  isCluster: true,
  mayResend: true,
});

// With it every key of a command gets a prefix, and those that a script makes itself don't.
function hasKeyPrefix(client: IoredisClient): boolean {
  const options: unknown = "options" in client ? client.options : undefined;
  if (typeof options !== "object" || options === null || !("keyPrefix" in options)) return false;
  return typeof options.keyPrefix === "string" && options.keyPrefix !== "";
}

/** Does no I/O. Throws {@link UnusableClient}. */
export function adaptClient(client: RedisClient): RedisPort {
  if (isIoredis(client)) {
    if (client.status === "end") throw new UnusableClient("the client that was handed in is closed");
    if (hasKeyPrefix(client)) {
      throw new UnusableClient("the client has a `keyPrefix` of its own; give it to the provider instead");
    }
    return adaptIoredis(client);
  }
  if (typeof (client as { sendCommand?: unknown } | null)?.sendCommand !== "function") {
    throw new TypeError("Invalid Redis client: expected one of the packages `redis` or `ioredis`");
  }
  if (!client.isOpen) {
    throw new UnusableClient("the client that was handed in is not connected; await its connect() first");
  }
  if (isNodeRedisCluster(client)) return adaptCluster(client);
  if (isNodeRedisSentinel(client)) return adaptSentinel(client);
  return adaptNodeRedis(client);
}
