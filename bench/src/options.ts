import { parseArgs } from "node:util";

export const partNames = [
  "engine",
  "append",
  "read",
  "clients",
  "scale",
  "clear",
  "waits",
  "turns",
  "load",
  "imports",
  "streams",
  "isolation",
] as const;
export type PartName = (typeof partNames)[number];

export const storeKinds = ["redis", "postgres"] as const;
export type StoreKind = (typeof storeKinds)[number];

export interface Options {
  readonly parts: readonly PartName[];
  readonly stores: readonly StoreKind[];
  /** Few rounds and small stores: shows that everything runs, not how fast. */
  readonly quick: boolean;
  /** Puts the results into the documentation. */
  readonly write: boolean;
  readonly help: boolean;
}

export const usage = `Usage: pnpm bench [part …] [--store redis|postgres] [--quick] [--write]

Parts (all of them if none is named, 8 to 12 minutes):
  engine   a run of the engine with a model that answers at once
  append   a turn of two messages, with 10 to 10,000 messages stored
  read     the last 20 messages, and a whole conversation
  clients  64 connections that append at once
  scale    finding and counting in 1,000 and in 100,000 conversations
  clear    deleting a user with 1,000 conversations while others work
  waits    a run that goes on with an approval or a client's result, after 10,000 of them
  turns    a stored turn with up to 100,000 messages before it, beside what it can't do without
  load     1,000,000 messages by eight processes, while a thousand users list, search and erase
  imports  importing each entry in a new process, beside what it imports of others
  streams  500 streams of a server at once, each stored before it is sent, and a reply beside Hono's own stream
  isolation  requests with another user's ids, beside ids that don't exist

  --store  only this store
  --quick  a smoke run: its figures mean nothing
  --write  write docs/benchmarks.md, its plots and bench/results/latest.json; needs a full run
`;

function oneOf<T extends string>(what: string, text: string, known: readonly T[]): T {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new TypeError(`Unknown ${what} "${text}": expected ${known.join(", ")}`);
  return found;
}

/** Throws a `TypeError` that says what was expected. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    // pnpm and npm hand on the `--` before a script's arguments.
    args: args.filter((arg) => arg !== "--"),
    allowPositionals: true,
    options: {
      store: { type: "string" },
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { store, quick, write, help } = values;
  const partial = quick || store !== undefined || positionals.length > 0;
  if (write && partial) {
    throw new TypeError("--write needs a full run: the figures of the documentation are of one run");
  }
  return {
    parts: positionals.length === 0 ? partNames : positionals.map((text) => oneOf("part", text, partNames)),
    stores: store === undefined ? storeKinds : [oneOf("store", store, storeKinds)],
    quick,
    write,
    help,
  };
}
