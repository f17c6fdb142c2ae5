import { createInMemoryProvider } from "@jaf/memory";
import type { Way } from "../../../../test/models/run.ts";
import { type Replayed, replay } from "../../../../test/recordings/replay.ts";
import { type LosslessBackend, openPostgres, openRedis, type StoreConnection } from "../lossless/backends.ts";
import type { Recorded } from "./all.ts";

async function openInMemory(): Promise<LosslessBackend> {
  const provider = createInMemoryProvider();
  return { connect: async () => ({ provider, close: async () => {} }), close: async () => {} };
}

export const STORES = { "in memory": openInMemory, Redis: openRedis, Postgres: openPostgres } as const;

/** Replays recordings on a store. */
export interface StoreReplays {
  readonly replay: (recorded: Recorded, way: Way) => Promise<Replayed>;
  readonly close: () => Promise<void>;
}

/**
 * Replays recordings on a store, to which two clients stay connected. Each run and each reading uses the other one, so it
 * reads what another client stored.
 */
export async function openReplays(open: () => Promise<LosslessBackend>): Promise<StoreReplays> {
  const backend = await open();
  const connections = [await backend.connect(), await backend.connect()] as const;
  return {
    replay: ({ api, recording }, way) => {
      let opened = 0;
      const openStore = async () => connections[opened++ % 2 === 0 ? 0 : 1].provider;
      return replay(api, recording, { way, openStore });
    },
    close: async () => {
      await Promise.all(connections.map(({ close }) => close()));
      await backend.close();
    },
  };
}

/** Replays a recording on a store, with a new client and provider of the store for each run and each reading. */
export async function replayOn(
  backend: LosslessBackend,
  { api, recording }: Recorded,
  way: Way,
): Promise<Replayed> {
  const opened: StoreConnection[] = [];
  const openStore = async () => {
    const connection = await backend.connect();
    opened.push(connection);
    return connection.provider;
  };
  try {
    return await replay(api, recording, { way, openStore });
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}
