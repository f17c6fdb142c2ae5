import { parseArgs } from "node:util";
import { commandLine, oneOf } from "./program.ts";

export const partNames = [
  "engine",
  "telemetry",
  "append",
  "read",
  "turns",
  "cost",
  "streams",
  "fairness",
  "facts",
] as const;
export type PartName = (typeof partNames)[number];

export const storeKinds = ["redis", "postgres"] as const;
export type StoreKind = (typeof storeKinds)[number];

export interface Options {
  readonly parts: readonly PartName[];
  /** Set by the program itself: measure this part in this process. */
  readonly part: PartName | undefined;
  readonly stores: readonly StoreKind[];
  /** Few rounds and small stores: only checks that everything runs. */
  readonly quick: boolean;
  readonly help: boolean;
}

export const usage = `Usage: pnpm bench [part …] [--store redis|postgres] [--quick]

Parts (all of them if none is named, each in a process of its own):
  engine     a run of the engine with a model that answers at once
  telemetry  a run without and with @jaf/otel, with and without an SDK
  append     a turn of two messages, with 10 to 10,000 messages stored
  read       the last 20 messages, and a whole conversation
  turns      a stored turn with up to 100,000 messages before it, beside what it can't do without
  cost       a turn of the server beside a plain Hono handler with run(): statements, CPU and time
  streams    100 to 500 streams of a server at once, each stored before it is sent, beside XADD per piece and resumable-stream
  fairness   10,000 messages of 100 users that wait for workers, half of them one user's, with and without the limit for each user
  facts      remember and recall with 9,900 facts of a user, beside full text on Postgres and sorted sets on Redis

  --store  only this store
  --quick  a smoke run: its figures mean nothing
`;

/** Throws a `UsageError` with the expected usage. */
export function parseOptions(): Options {
  const { values, positionals } = parseArgs({
    args: commandLine(),
    allowPositionals: true,
    options: {
      part: { type: "string" },
      store: { type: "string" },
      quick: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { part, store, quick, help } = values;
  return {
    parts: positionals.length === 0 ? partNames : positionals.map((text) => oneOf("part", text, partNames)),
    part: part === undefined ? undefined : oneOf("part", part, partNames),
    stores: store === undefined ? storeKinds : [oneOf("store", store, storeKinds)],
    quick,
    help,
  };
}
