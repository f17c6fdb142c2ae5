import type { Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report.ts";
import type { Check } from "../results.ts";
import type { Measured } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import { jafStore, RECENT } from "../stores/store.ts";
import { LENGTHS, type Length, measureLengths, type Workload } from "./lengths.ts";
import type { Part } from "./part.ts";

const WHOLE = 10_000;

type Call = Workload["call"];

function expectCount(count: number, expected: number): void {
  if (count !== expected) throw new Error(`${count} messages came back instead of ${expected}`);
}

const recent: Call = async (store, id, length) =>
  expectCount(await store.recent(id), Math.min(RECENT, length));

const load: Call = async (store, id, length) => expectCount(await store.load(id), length);

interface Row {
  readonly what: string;
  readonly length: Length;
  readonly raw: Measured;
  readonly jaf: Measured;
  /** The longest allowed time, as a multiple of the raw driver's. */
  readonly target: number;
}

async function measureStore(lab: Lab, backend: Backend, quick: boolean): Promise<readonly Row[]> {
  const stores = { raw: await backend.openRaw(), jaf: jafStore(await backend.openProvider("jaf")) };
  const measureCall = (title: string, call: Call, plan: { lengths: readonly Length[]; rounds: number }) =>
    measureLengths(
      { lab, backend, title },
      Object.entries(stores).map(([name, store]) => ({ name, store, call })),
      {
        warmUp: Math.ceil(plan.rounds / 10),
        rounds: quick ? Math.ceil(plan.rounds / 20) : plan.rounds,
        lengths: plan.lengths,
        grows: 0,
      },
    );
  const last = await measureCall("last 20", recent, { lengths: LENGTHS, rounds: 2_000 });
  const all = await measureCall("all 10,000", load, { lengths: [WHOLE], rounds: 150 });
  const { name } = backend;
  return [
    ...LENGTHS.map((length) => ({
      what: `${name}, last 20`,
      length,
      raw: last("raw", length),
      jaf: last("jaf", length),
      target: 1.5,
    })),
    { what: `${name}, all`, length: WHOLE, raw: all("raw", WHOLE), jaf: all("jaf", WHOLE), target: 1.3 },
  ];
}

const toRaw = ({ jaf, raw }: Row): number => jaf.p50 / raw.p50;

const checkOf = (row: Row): Check => ({
  what: `${row.what} of ${integer(row.length)}, JAF to raw`,
  measured: toRaw(row),
  rule: "at most",
  target: row.target,
  unit: "×",
});

const cellsOf = (row: Row): string[] => [
  row.what,
  integer(row.length),
  ...[row.raw.p50, row.raw.p99, row.jaf.p50, row.jaf.p99].map(duration),
  ratio(toRaw(row)),
];

/** Reads the last 20 messages of conversations of every length, and all messages of the longest. */
export const read: Part = async (lab, { stores, quick }) => {
  const rows: Row[] = [];
  for (const kind of stores) rows.push(...(await measureStore(lab, await startBackend(lab, kind), quick)));
  const columns = ["", "stored", "raw p50", "p99", "JAF p50", "p99", "to raw"];
  return { table: { columns, rows: rows.map(cellsOf) }, checks: rows.map(checkOf) };
};
