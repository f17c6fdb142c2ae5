import type { TurnBeginning } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import type { ScriptCall } from "../lua.ts";

/** The keys of a turn log, for writes to conversations that begin its turns. A class, since copies keep its instances. */
export class TurnLogPlace {
  constructor(
    readonly client: RedisClient,
    /** Returns the keys and arguments of the script `begin`. */
    readonly callOf: (beginning: TurnBeginning) => ScriptCall,
  ) {}
}
