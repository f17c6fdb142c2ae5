import type { RedisClient } from "../client/clients.ts";
import { createDeadlines } from "../client/command-deadlines.ts";
import type { RedisSettings } from "../config.ts";

/** The server's address and the credentials. `url` takes precedence over the rest. */
export type Target = Pick<RedisSettings, "url" | "host" | "port" | "username" | "password" | "db">;

/**
 * One connection to the server, with a client of one of the libraries. It never reconnects: for both libraries,
 * `reconnecting.ts` decides when a connection is replaced.
 */
export interface Connection {
  readonly client: RedisClient;
  /** Resolves after the login. May hang if the server doesn't reply. */
  readonly connect: () => Promise<unknown>;
  /** Closes immediately: calls in flight fail. May be called at any time and repeatedly. */
  readonly destroy: () => void;
}

/** `onLost` is called at least once if an established connection breaks. */
export type CreateConnection = (onLost: () => void) => Connection;

/** There is currently no connection, and a new one is being made. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The provider was closed, and its connection with it. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";

  constructor() {
    super("the provider was closed");
  }
}

/** Rejects when `signal` aborts, even if the work goes on. */
const unlessClosed = (work: Promise<unknown>, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new ConnectionClosed());
    signal.addEventListener("abort", giveUp);
    work.finally(() => signal.removeEventListener("abort", giveUp)).then(resolve, reject);
  });

export interface DialOptions {
  /** Limit for connecting and the login together, since a server may accept a connection and never reply. */
  readonly connectTimeoutMs: number;
  /** Aborts when the provider is closed. */
  readonly signal: AbortSignal;
}

/**
 * Makes one connection. `onLost` is called at least once if it breaks later. Leaves no open connection after a failure.
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
