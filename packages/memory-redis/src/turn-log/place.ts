import type { TurnBeginning } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import type { ScriptCall } from "../lua.ts";

/**
 * Where a turn log is stored: its client and its keys. A write that also begins a turn of the log
 * (`WriteOptions.beginsTurn`) needs them. This is a class because wrappers of a provider copy the options of a write:
 * they copy plain objects, but keep instances of classes.
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
