import { createDeadlines } from "../command-deadlines.ts";
import type { Connection, CreateConnection } from "./connection.ts";

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
