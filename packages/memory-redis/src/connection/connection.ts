import type { RedisClient } from "../client/clients.ts";
import { createDeadlines } from "../client/command-deadlines.ts";
import type { RedisSettings } from "../config.ts";

/** The server's address, and the user name and password for the login. `url` takes precedence over the other fields. */
export type Target = Pick<RedisSettings, "url" | "host" | "port" | "username" | "password" | "db">;

/**
 * One connection to the server, made with one of the client libraries. The library never reconnects it:
 * `reconnecting.ts` replaces a broken connection, in the same way for both libraries.
 */
export interface Connection {
  readonly client: RedisClient;
  /** Connects and logs in. May never settle if the server doesn't reply. */
  readonly connect: () => Promise<unknown>;
  /** Closes the connection immediately, so calls in flight fail. May be called at any time and repeatedly. */
  readonly destroy: () => void;
}

/**
 * Creates a connection that isn't connected yet. `onLost` is called at least once if the connection breaks after it was
 * connected.
 */
export type CreateConnection = (onLost: () => void) => Connection;

/**
 * There is no connection: the last one broke, and a new one is being made. Or the new connection broke directly after
 * its login.
 */
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
  /**
   * The maximum duration of an attempt to connect and log in. Without this limit, an attempt would never end if a
   * server accepts the connection but never replies.
   */
  readonly connectTimeoutMs: number;
  /** Aborts when the provider is closed. */
  readonly signal: AbortSignal;
}

/**
 * Makes one connection, and resolves after its login. `onLost` is called at least once if the connection breaks later.
 * If the attempt fails, no connection stays open.
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
