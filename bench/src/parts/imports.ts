import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Entry, type External, entriesOf, externalsOf, writeLimit } from "../imports/entries.ts";
import { duration, ratio } from "../report.ts";
import type { Check } from "../results.ts";
import { median } from "../statistics.ts";
import type { Part } from "./part.ts";

const TARGET = 1.2;

/** What an entry may take that imports nothing of others: an empty module is nothing to be a multiple of. */
const MOST_MS_ALONE = 5;

const run = promisify(execFile);
const child = fileURLToPath(new URL("../imports/import-process.mjs", import.meta.url));

/** How long a process that has imported nothing yet takes to import a module, in microseconds. */
async function importOnce(file: URL): Promise<number> {
  // A loader or a condition of this process would be another's than the application's.
  const { stdout } = await run(process.execPath, [child, file.href], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return Number(stdout) * 1_000;
}

interface Imported {
  readonly entry: Entry;
  readonly externals: readonly External[];
  readonly own: number;
  readonly limit: number;
}

async function measureEntry(entry: Entry, rounds: number): Promise<Imported> {
  const externals = await externalsOf(entry);
  const files = { own: entry.file, limit: writeLimit(entry, externals) };
  const samples = { own: [] as number[], limit: [] as number[] };
  // The first round has the files read from the disk.
  for (let round = -1; round < rounds; round++) {
    for (const name of ["own", "limit"] as const) {
      const took = await importOnce(files[name]);
      if (round >= 0) samples[name].push(took);
    }
  }
  return { entry, externals, own: median(samples.own), limit: median(samples.limit) };
}

const checkOf = ({ entry, externals, own, limit }: Imported): Check =>
  externals.length === 0
    ? {
        what: `${entry.name}: beyond an empty module`,
        measured: (own - limit) / 1_000,
        rule: "at most",
        target: MOST_MS_ALONE,
        unit: " ms",
      }
    : {
        what: `${entry.name}: to what it imports`,
        measured: own / limit,
        rule: "at most",
        target: TARGET,
        unit: "×",
      };

/** Importing each published entry in a new process, beside what it imports of others. */
export const imports: Part = async (lab, { quick }) => {
  const measured: Imported[] = [];
  for (const entry of entriesOf()) {
    lab.progress(entry.name);
    measured.push(await measureEntry(entry, quick ? 3 : 21));
  }
  const rows = measured.map(({ entry, externals, own, limit }) => {
    const packages = externals.map(({ name }) => name).filter((name) => !name.startsWith("node:"));
    return [
      entry.name,
      packages.join(", "),
      duration(limit),
      duration(own),
      duration(own - limit),
      externals.length === 0 ? "" : ratio(own / limit),
    ];
  });
  const columns = ["", "imports", "these alone", "the entry", "its own", "ratio"];
  return { table: { columns, rows }, checks: measured.map(checkOf) };
};
