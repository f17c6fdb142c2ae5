import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { type Load, startLoad } from "./load.ts";

/** A fault of a running store. */
export interface Fault {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** Its duration in milliseconds. Default 3,000. */
  readonly lastsMs?: number;
}

export interface Row {
  readonly fault: string;
  /** The most frequent outcomes, for the table. */
  readonly seen: string;
  /** All outcomes of runs. */
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
  /** The problems of the finally stored conversations. */
  readonly problems: readonly string[];
}

/** Causes one fault after the other under load, then checks the stored conversations. Prints the rows of a table. */
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
