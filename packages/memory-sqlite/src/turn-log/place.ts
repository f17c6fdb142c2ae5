import type { OpenedDatabase } from "../database.ts";

/** Where a turn log is stored. A write that begins a turn of the log (`WriteOptions.beginsTurn`) needs this. */
// A class, because wrappers of a provider copy the options of a write: they copy plain objects, but keep instances of
// classes.
export class TurnLogPlace {
  constructor(readonly database: OpenedDatabase) {}
}
