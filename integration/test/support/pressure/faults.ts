import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { type Load, startLoad } from "./load.ts";

/** Something that happens to a store that runs. */
export interface Fault {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** How long it lasts, in milliseconds. Default 3,000. */
  readonly lastsMs?: number;
}

export interface Row {
  readonly fault: string;
  /** The most frequent of them, for the table. */
  readonly seen: string;
  /** All that runs ended with. */
  readonly failures: readonly string[];
  readonly longestMs: number;
  readonly firstMs: number;
  readonly allMs: number;
}

const LASTS_MS = 3_000;

const MOST_SEEN = 4;

function describe(failures: ReadonlyMap<string, number>): string {
  if (failures.size === 0) return "nothing: runs take longer";
  const sorted = [...failures].sort(([, a], [, b]) => b - a);
  return sorted
    .slice(0, MOST_SEEN)
    .map(([ending, count]) => `${ending} (${count})`)
    .join("; ");
}

async function suffer(load: Load, { name, begin, end, lastsMs = LASTS_MS }: Fault): Promise<Row> {
  await load.recovered();
  load.takeSeen();
  await begin();
  await sleep(lastsMs);
  await end();
  const { firstMs, allMs } = await load.recovered();
  const { failures, longestMs } = load.takeSeen();
  return { fault: name, seen: describe(failures), failures: [...failures.keys()], longestMs, firstMs, allMs };
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

const render = (title: string, rows: readonly Row[]): string =>
  rows
    .map(
      ({ fault, seen, longestMs, firstMs, allMs }) =>
        `| ${title} | ${fault} | ${seen} | ${seconds(longestMs)} s | ${seconds(firstMs)} s | ${seconds(allMs)} s |\n`,
    )
    .join("");

export interface Suffered {
  readonly rows: readonly Row[];
  /** What is wrong with what is stored in the end. */
  readonly problems: readonly string[];
}

/** One fault after the other under load, then a look at what is stored. Prints the rows of a table. */
export async function sufferAll(
  title: string,
  provider: MemoryProvider,
  faults: readonly Fault[],
): Promise<Suffered> {
  const load = startLoad(provider, crypto.randomUUID());
  const rows: Row[] = [];
  try {
    for (const fault of faults) rows.push(await suffer(load, fault));
  } finally {
    await load.stop();
    process.stdout.write(render(title, rows));
  }
  return { rows, problems: await load.problems(provider) };
}
