import type { PostgresClient } from "../client/clients.ts";
import type { ResolvedNames } from "../table-names.ts";

/**
 * The tables of a turn log, for writes to conversations that begin its turns. It is a class, because wrappers of a
 * provider copy options, and such a copy keeps instances of a class.
 */
export class TurnLogPlace {
  constructor(
    readonly client: PostgresClient,
    readonly names: ResolvedNames,
  ) {}
}
