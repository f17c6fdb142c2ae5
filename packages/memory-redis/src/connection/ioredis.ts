import { present } from "@jaf/memory/adapter";
import type { CreateConnection, Target } from "./connection.ts";

type Library = Pick<typeof import("ioredis"), "Redis">;

/** Returns a function that makes connections with `new Redis()` of the library `ioredis`. */
export function ioredisConnections(
  { Redis }: Library,
  target: Target,
  connectTimeoutMs: number,
): CreateConnection {
  const { url, host, port, username, password, db } = target;
  const options = {
    lazyConnect: true,
    // Without a connection, calls fail immediately. A queued call might run long after its timeout.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    retryStrategy: () => null,
    // Closing ends a connection gracefully and waits this many milliseconds for the other side.
    disconnectTimeout: 1,
  };
  const credentials = present({ username, password });
  return (onLost) => {
    const client =
      url === undefined ? new Redis({ ...options, host, port, db, ...credentials }) : new Redis(url, options);
    let reason: unknown;
    client.on("error", (thrown: unknown) => {
      reason ??= thrown;
    });
    client.once("end", onLost);
    return {
      client,
      connect: async () => {
        try {
          await client.connect();
        } catch (thrown) {
          // The thrown error only says that the connection was closed.
          throw reason ?? thrown;
        }
        // Without the right to SELECT, the client would stay in database 0.
        if (reason !== undefined) throw reason;
      },
      destroy: () => {
        if (client.status !== "end") client.disconnect();
      },
    };
  };
}
