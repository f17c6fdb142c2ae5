import { present } from "@jaf/memory/adapter";
import type { CreateConnection, Target } from "./connection.ts";

type Library = Pick<typeof import("ioredis"), "Redis">;

/** By `new Redis()` of `ioredis`. */
export function ioredisConnections(
  { Redis }: Library,
  target: Target,
  connectTimeoutMs: number,
): CreateConnection {
  const { url, host, port, username, password, db } = target;
  const options = {
    lazyConnect: true,
    // Not connected, a call fails at once: queued, it might be done long after it was given up.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    retryStrategy: () => null,
    // It ends a connection politely, and waits so many milliseconds for the other side.
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
          // It says only that the connection was closed.
          throw reason ?? thrown;
        }
        // A user without the right to SELECT would be in database 0 otherwise.
        if (reason !== undefined) throw reason;
      },
      destroy: () => {
        if (client.status !== "end") client.disconnect();
      },
    };
  };
}
