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
