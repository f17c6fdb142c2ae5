import type { RedisClient } from "../client/clients.ts";
import { createDeadlines } from "../client/command-deadlines.ts";
import type { RedisSettings } from "../config.ts";

/** Where the server is, and the credentials. `url` takes precedence over the rest. */
export type Target = Pick<RedisSettings, "url" | "host" | "port" | "username" | "password" | "db">;

/**
 * One connection to the server by a client of one of the libraries. It is made once and never again by itself, so that
 * `reconnecting.ts` decides for both libraries when a connection is given up and replaced.
 */
export interface Connection {
  readonly client: RedisClient;
  /** Resolves when it is connected and logged in; may hang if the server doesn't reply. */
  readonly connect: () => Promise<unknown>;
  /** Closes at once: calls in flight fail. May be called at any time, and again. */
  readonly destroy: () => void;
}

/** `onLost` is called at least once when a connection breaks after it was made. */
export type CreateConnection = (onLost: () => void) => Connection;

/** There is no connection at the moment, and a new one is being made. */
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

/** Rejects when `signal` aborts, whatever the work does. */
const unlessClosed = (work: Promise<unknown>, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new ConnectionClosed());
    signal.addEventListener("abort", giveUp);
    work.finally(() => signal.removeEventListener("abort", giveUp)).then(resolve, reject);
  });

export interface DialOptions {
  /** For connecting and logging in together: a server may accept a connection and never reply. */
  readonly connectTimeoutMs: number;
  /** Aborts when the provider is closed. */
  readonly signal: AbortSignal;
}

/** Makes one connection. `onLost` is called at least once if it breaks later. Leaves no connection open where it fails. */
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
      if (lost) throw new ConnectionLost("the connection broke at once");
      return connection;
    } catch (thrown) {
      connection.destroy();
      throw thrown;
    }
  };
}
