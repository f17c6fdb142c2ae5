import type { RedisClient } from "../client/clients.ts";
import { createDeadlines } from "../client/command-deadlines.ts";
import type { RedisSettings } from "../config.ts";

/** The server's address and the login. `url` takes precedence over the other fields. */
export type Target = Pick<RedisSettings, "url" | "host" | "port" | "username" | "password" | "db">;

/**
 * One connection to the server, made with one of the client libraries. It never reconnects: `reconnecting.ts` replaces
 * it.
 */
export interface Connection {
  readonly client: RedisClient;
  /** Connects and logs in. May never settle if the server doesn't reply. */
  readonly connect: () => Promise<unknown>;
  /** Closes the connection immediately, so calls in flight fail. May be called repeatedly. */
  readonly destroy: () => void;
}

/**
 * Creates a connection that isn't connected yet. `onLost` is called when the connection breaks, perhaps several times.
 */
export type CreateConnection = (onLost: () => void) => Connection;

/** There is currently no connection: the last one broke, and a new one is being made. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The provider was closed, and so was its connection. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";

  constructor() {
    super("the provider was closed");
  }
}

/** Returns the result of `work`. Rejects with {@link ConnectionClosed} when `signal` aborts, even if `work` goes on. */
const unlessClosed = (work: Promise<unknown>, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new ConnectionClosed());
    signal.addEventListener("abort", giveUp);
    work.finally(() => signal.removeEventListener("abort", giveUp)).then(resolve, reject);
  });

export interface DialOptions {
  /** The maximum duration of an attempt to connect and log in, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Aborts when the provider is closed. */
  readonly signal: AbortSignal;
}

/**
 * Makes one connection, and resolves after its login. `onLost` is called when the connection breaks, perhaps several
 * times.
 */
export type Dial = (onLost: (connection: Connection) => void) => Promise<Connection>;

export function createDial(
  createConnection: CreateConnection,
  { connectTimeoutMs, signal }: DialOptions,
): Dial {
  const inTime = createDeadlines(connectTimeoutMs);
  return async (onLost) => {
    let lost = false;
    const connection = createConnection(() => {
      lost = true;
      onLost(connection);
    });
    try {
      await inTime(unlessClosed(connection.connect(), signal));
      if (lost) throw new ConnectionLost("the connection broke immediately");
      return connection;
    } catch (thrown) {
      connection.destroy();
      throw thrown;
    }
  };
}
