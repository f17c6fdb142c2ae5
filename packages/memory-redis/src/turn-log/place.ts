import type { TurnBeginning } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import type { ScriptCall } from "../lua.ts";

/** Where a turn log is stored. A write that begins a turn of the log (`WriteOptions.beginsTurn`) needs this. */
// A class, because wrappers of a provider copy the options of a write: they copy plain objects, but keep instances of
// classes.
export class TurnLogPlace {
  constructor(
    readonly client: RedisClient,
    /** The Cluster slot of the log's prefix. */
    readonly slot: number,
    /** Returns the keys and the arguments of the script `begin`. */
    readonly callOf: (beginning: TurnBeginning) => ScriptCall,
  ) {}
}
