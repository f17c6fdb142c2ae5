import type { RedisClient } from "../client/clients.ts";
import type { RedisSettings } from "../config.ts";

/** Where the server is, and who logs in. `url` goes before the rest. */
export type Target = Pick<RedisSettings, "url" | "host" | "port" | "username" | "password" | "db">;

/**
 * One connection to the server by a client of one of the libraries. It is made once and never again by itself, so that
 * how connections are given up and replaced is decided in one place for both.
 */
export interface Link {
  readonly client: RedisClient;
  /** Resolves when it is connected and logged in; may hang with a server that says nothing. */
  readonly connect: () => Promise<unknown>;
  /** At once: what is under way fails. May be called at any time, and again. */
  readonly destroy: () => void;
}

/** `onLost` is told, at least once, of a connection that broke after it was made. */
export type CreateLink = (onLost: () => void) => Link;
