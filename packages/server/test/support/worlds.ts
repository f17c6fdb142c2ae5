import { createWorld, type World } from "../turns/support/turn-fixtures.ts";

/** Opens stores that nobody else uses. They are closed when the test ends. */
export type OpenWorld = () => Promise<World>;

export const openInMemory: OpenWorld = async () => createWorld();
