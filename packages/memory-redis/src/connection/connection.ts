import type { RedisClient } from "../client/clients.ts";
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
