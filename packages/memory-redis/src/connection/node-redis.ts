import { present } from "@jaf/memory/adapter";
import type { CreateConnection, Target } from "./connection.ts";

type Library = Pick<typeof import("redis"), "createClient">;

function clientOptions({ url, host, port, username, password, db }: Target, connectTimeoutMs: number) {
  const socket = { connectTimeout: connectTimeoutMs, reconnectStrategy: false } as const;
  const common = {
    // Without a connection, calls fail immediately. A queued call might run long after its timeout.
    disableOfflineQueue: true,
    // The client's default timeout of 5 s ends once a command is written. `commandTimeoutMs` includes the reply.
    commandOptions: { timeout: 0 },
  };
  if (url !== undefined) return { ...common, url, socket };
  return {
    ...common,
    ...present({ username, password }),
    database: db,
    socket: { ...socket, host, port },
  };
}

/** Returns a function that makes connections with `createClient` of the library `redis`. */
export function nodeRedisConnections(
  { createClient }: Library,
  target: Target,
  connectTimeoutMs: number,
): CreateConnection {
  return (onLost) => {
    const client = createClient(clientOptions(target, connectTimeoutMs));
    let reached = false;
    let destroyed = false;

    function destroyReached(): void {
      try {
        client.destroy();
      } catch {
        // Version 5 throws if the connection is already gone.
      }
    }

    client.on("error", onLost);
    // If it is destroyed earlier, the client forgets its socket, which would still connect and stay open.
    client.once("connect", () => {
      reached = true;
      if (destroyed) destroyReached();
    });
    // A connection attempt alone must not keep the process alive.
    client.unref();
    return {
      client,
      connect: async () => {
        await client.connect();
        client.ref();
      },
      destroy: () => {
        destroyed = true;
        if (reached) destroyReached();
      },
    };
  };
}
