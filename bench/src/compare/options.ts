import { parseArgs } from "node:util";
import { type StoreKind, storeKinds } from "../options.ts";
import { commandLine, oneOf, UsageError } from "../program.ts";

export interface CompareOptions {
  /** Another checkout of this repository, whose packages are built. */
  readonly other: string;
  readonly stores: readonly StoreKind[];
  readonly rounds: number;
  /** Calls of each contender in a round. */
  readonly calls: number;
}

export const usage = `Usage: pnpm bench:compare OTHER [--store redis|postgres] [--rounds N] [--calls N]

Measures the built packages of another checkout and of this one, call by call in turn, on the same servers: append,
last 20, load. And, of this one alone, a replaced tail beside an append, and a range beside the last 20.

  OTHER     a folder with another checkout, installed and built (pnpm install && pnpm build)
  --store   only this store
  --rounds  how many rounds; the table has their medians (default 9)
  --calls   calls of each kind in a round (default 300; loads of whole conversations take a tenth)
`;

const wholeNumber = (what: string, text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`Invalid ${what}: expected a whole number from 1`);
};

/** `undefined`: help was asked for. Throws a `UsageError` that says what was expected. */
export function parseCompareOptions(): CompareOptions | undefined {
  const { values, positionals } = parseArgs({
    args: commandLine(),
    allowPositionals: true,
    options: {
      store: { type: "string" },
      rounds: { type: "string", default: "9" },
      calls: { type: "string", default: "300" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return undefined;
  const [other, ...rest] = positionals;
  if (other === undefined || rest.length > 0) throw new UsageError("Expected one folder: the other checkout");
  return {
    other,
    stores: values.store === undefined ? storeKinds : [oneOf("store", values.store, storeKinds)],
    rounds: wholeNumber("--rounds", values.rounds),
    calls: wholeNumber("--calls", values.calls),
  };
}
