import type { PostgresClient } from "../client/clients.ts";
import type { ResolvedNames } from "../table-names.ts";

/** The tables of a turn log, for writes to conversations that begin its turns. A class, since copies keep its instances. */
export class TurnLogPlace {
  constructor(
    readonly client: PostgresClient,
    readonly names: ResolvedNames,
  ) {}
}
