import type { NodeRedisClient, NodeRedisCluster } from "../../src/index.ts";

/** Called in place of each single command. `send` sends it. */
export type Around = (command: {
  readonly args: readonly string[];
  readonly send: () => Promise<unknown>;
}) => Promise<unknown>;

/** The same client of a server or a Cluster, with a function around each single command, but not around transactions. */
export function intercept(
  client: NodeRedisClient | NodeRedisCluster,
  around: Around,
): NodeRedisClient | NodeRedisCluster {
  if ("slots" in client) {
    return {
      isOpen: true,
      slots: [],
      multi: (key) => client.multi(key),
      sendCommand: (key, isReadonly, args) =>
        around({ args, send: () => client.sendCommand(key, isReadonly, args) }),
    };
  }
  return {
    isOpen: true,
    isReady: true,
    multi: () => client.multi(),
    sendCommand: (args: string[]) => around({ args, send: () => client.sendCommand(args) }),
  };
}

/** The same client, which fails from the command with this number on, as if its process had died before. */
export function crashAt(client: NodeRedisClient | NodeRedisCluster, last: number) {
  let count = 0;
  return intercept(client, async ({ send }) => {
    if (count++ >= last) throw new Error("Connection is closed.");
    return send();
  });
}
