import { createInMemoryProvider, type TurnLog, type VersionedMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";

/** The stores of a server. */
export interface World {
  readonly log: TurnLog;
  readonly provider: VersionedMemoryProvider;
}

export const createWorld = (): World => ({
  log: createInMemoryTurnLog(),
  provider: createInMemoryProvider(),
});

/** Opens stores for one test only. Closed at the end of the test. */
export type OpenWorld = () => Promise<World>;

export const openInMemory: OpenWorld = async () => createWorld();
