import { adaptClient } from "./client/adapt-client.ts";
import type { RedisClient } from "./client/clients.ts";
import type { RedisPort } from "./client/port.ts";
import type { RedisSettings } from "./config.ts";
import { openConnection } from "./connection/open.ts";
import { toSetupError } from "./errors.ts";

export interface OpenedPort {
  readonly port: RedisPort;
  /** Closes what was opened, and never a client that was passed in. */
  readonly close: () => Promise<void>;
}

export interface OpenPortOptions {
  readonly settings: Omit<RedisSettings, "ttl">;
  /** Used where there is one, and left open. */
  readonly client?: RedisClient | undefined;
  /** The factory, for errors. */
  readonly operation: string;
}

function adaptGiven(client: RedisClient, operation: string): OpenedPort {
  try {
    return { port: adaptClient(client), close: async () => {} };
  } catch (thrown) {
    throw thrown instanceof TypeError ? thrown : toSetupError(operation, thrown);
  }
}

/** Throws a `TypeError` for what is no client, and a `MemorySetupError` when the server can't be reached. */
export async function openPort({ settings, client, operation }: OpenPortOptions): Promise<OpenedPort> {
  if (client !== undefined) return adaptGiven(client, operation);
  try {
    return await openConnection({ settings, operation });
  } catch (thrown) {
    throw toSetupError(operation, thrown);
  }
}
