import { withDeadline } from "@jaf/memory/adapter";
import type { ConnectionOptions } from "bullmq";
import { NoAnswer } from "./errors.ts";
import type { QueueSettings } from "./options.ts";

/** How long a call waits for Redis. */
const PATIENCE_MS = 5_000;
/** The pauses between attempts to reconnect grow up to this one. BullMQ's own default is 20 s. */
const LONGEST_PAUSE_MS = 2_000;

interface Connections {
  /** For `submit` and `cancel`. */
  readonly forCalls: ConnectionOptions;
  readonly forWorkers: ConnectionOptions;
}

const isClient = (connection: ConnectionOptions): boolean =>
  "duplicate" in connection && typeof connection.duplicate === "function";

/** Returns what BullMQ connects with. A client that the application passed in is used as it is. */
export function connectionsOf({ connection }: QueueSettings): Connections {
  if (typeof connection !== "string" && isClient(connection))
    return { forCalls: connection, forWorkers: connection };
  const options = {
    retryStrategy: (attempts: number) => Math.min(attempts * 100, LONGEST_PAUSE_MS),
    ...(typeof connection === "string" ? { url: connection } : connection),
  };
  return {
    // Calls fail at once while Redis is away, and aren't kept in this process to be sent later.
    forCalls: { ...options, enableOfflineQueue: false },
    forWorkers: { ...options, maxRetriesPerRequest: null },
  };
}

/** Rejects if `answer` doesn't settle within a few seconds. Redis may still have done what was asked. */
export const inTime = <T>(answer: Promise<T>): Promise<T> =>
  withDeadline(answer, { timeoutMs: PATIENCE_MS, timeoutError: () => new NoAnswer("no answer") });
