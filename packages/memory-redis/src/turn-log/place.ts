import type { TurnBeginning } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import type { ScriptCall } from "../lua.ts";

/**
 * The keys of a turn log, for writes to conversations that begin its turns. It is a class, because wrappers of a provider
 * copy options, and such a copy keeps instances of a class.
 */
export class TurnLogPlace {
  constructor(
    readonly client: RedisClient,
    /** The Cluster slot of the log's prefix. On a Cluster, all keys of the log are in this slot. */
    readonly slot: number,
    /** Returns the keys and the arguments of the script `begin` for a turn. */
    readonly callOf: (beginning: TurnBeginning) => ScriptCall,
  ) {}
}
