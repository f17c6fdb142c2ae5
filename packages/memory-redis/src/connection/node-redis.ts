import { present } from "@jaf/memory/adapter";
import type { CreateConnection, Target } from "./connection.ts";

type Library = Pick<typeof import("redis"), "createClient">;

function clientOptions({ url, host, port, username, password, db }: Target, connectTimeoutMs: number) {
  const socket = { connectTimeout: connectTimeoutMs, reconnectStrategy: false } as const;
  const common = {
    // Not connected, a call fails at once: queued, it might be done long after it was given up.
    disableOfflineQueue: true,
    // The client's own 5 s hold for commands only until they are written. `commandTimeoutMs` holds for all.
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

/** By `createClient` of `redis`. */
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
        // Version 5 throws where the connection is gone already.
      }
    }

    client.on("error", onLost);
    // Before that, the client forgets the socket that it destroys, which would connect all the same and stay.
    client.once("connect", () => {
      reached = true;
      if (destroyed) destroyReached();
    });
    // Nobody waits for a socket that is still to connect, other than the caller of `connect`.
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
