import { parseArgs } from "node:util";

export const memoryKinds = ["in-memory", "redis", "postgres"] as const;
export type MemoryKind = (typeof memoryKinds)[number];

export const recallParts = ["sets", "embedders", "sensitivity", "quality", "speed"] as const;
export type RecallPart = (typeof recallParts)[number];

export interface RecallBenchOptions {
  readonly parts: readonly RecallPart[];
  readonly stores: readonly MemoryKind[];
  /** Files in the format of snap-research/locomo. */
  readonly data: readonly string[];
  /** Puts the results into the documentation. */
  readonly write: boolean;
  readonly help: boolean;
}

export const usage = `Usage: pnpm bench:recall [sets|embedders|sensitivity|quality|speed …] [--data FILE …] [--store in-memory|redis|postgres] [--write]

  sets     three data sets beside BM25, in memory
  embedders
           the same by words alone and with embedders that are bad, poor and good, made of the texts themselves
  sensitivity
           the same with each weight a third less and more, and with weights tuned without the conversation asked
  quality  how much of the evidence for a question is among the first facts recalled
  speed    how long a recall takes, with 1,000 to 10,000 facts and quotations of a user, and with 1,000 users on Postgres

  --data   conversations in the format of snap-research/locomo; default ../shared/data/locomo-dev-3.json
  --store  only this store
  --write  write the tables of these parts into docs/recall.md; needs all stores and the usual data
`;

const DEFAULT_DATA = new URL("../../../../shared/data/locomo-dev-3.json", import.meta.url).pathname;

function oneOf<T extends string>(what: string, text: string, known: readonly T[]): T {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new TypeError(`Unknown ${what} "${text}": expected ${known.join(", ")}`);
  return found;
}

/** Throws a `TypeError` that says what was expected. */
export function parseOptions(args: readonly string[]): RecallBenchOptions {
  const { values, positionals } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    allowPositionals: true,
    options: {
      data: { type: "string", multiple: true },
      store: { type: "string", multiple: true },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { data = [], store = [], write, help } = values;
  if (write && data.length + store.length > 0) {
    throw new TypeError("--write needs all stores and the usual data");
  }
  return {
    parts:
      positionals.length === 0 ? recallParts : positionals.map((text) => oneOf("part", text, recallParts)),
    stores: store.length === 0 ? memoryKinds : store.map((text) => oneOf("store", text, memoryKinds)),
    data: data.length === 0 ? [DEFAULT_DATA] : data,
    write,
    help,
  };
}
