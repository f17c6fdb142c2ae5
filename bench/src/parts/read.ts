import type { Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report/format.ts";
import type { Check } from "../results.ts";
import type { Backend } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import { jafStore, RECENT, type Store } from "../stores/store.ts";
import {
  LENGTHS,
  type Length,
  type LengthRow,
  measureLengths,
  plotLengths,
  type Workload,
} from "./lengths.ts";
import type { Part } from "./part.ts";

const WHOLE = 10_000;

type Call = Workload["call"];

function expectCount(count: number, expected: number): void {
  if (count !== expected) throw new Error(`${count} messages came back instead of ${expected}`);
}

const recent: Call = async (store, id, length) =>
  expectCount(await store.recent(id), Math.min(RECENT, length));

const load: Call = async (store, id, length) => expectCount(await store.load(id), length);

interface Reads {
  readonly recent: readonly LengthRow[];
  readonly load: LengthRow;
}

async function measureStore(lab: Lab, backend: Backend, quick: boolean): Promise<Reads> {
  const [raw, peer] = [await backend.openRaw(), await backend.openPeer()];
  const jaf = jafStore(await backend.openProvider("jaf"));
  const pass = (
    title: string,
    stores: Record<string, Store>,
    { call, lengths, rounds }: { call: Call; lengths: readonly Length[]; rounds: number },
  ) =>
    measureLengths(
      { lab, backend, title },
      Object.entries(stores).map(([name, store]) => ({ name, store, call })),
      { warmUp: Math.ceil(rounds / 10), rounds: quick ? Math.ceil(rounds / 20) : rounds, lengths, grows: 0 },
    );
  const ours = await pass("last 20", { raw, jaf }, { call: recent, lengths: LENGTHS, rounds: 2_000 });
  const whole = await pass("all 10,000", { raw, jaf }, { call: load, lengths: [WHOLE], rounds: 150 });
  const both = { jaf, peer };
  const theirs = await pass("last 20, @xynehq/jaf", both, { call: recent, lengths: LENGTHS, rounds: 60 });
  const theirWhole = await pass("all 10,000, @xynehq/jaf", both, {
    call: load,
    lengths: [WHOLE],
    rounds: 40,
  });
  const rowOf = (length: Length, mine: typeof ours, beside: typeof ours): LengthRow => ({
    length,
    raw: mine("raw", length),
    jaf: mine("jaf", length),
    peer: beside("peer", length),
    besidePeer: beside("jaf", length),
  });
  return {
    recent: LENGTHS.map((length) => rowOf(length, ours, theirs)),
    load: rowOf(WHOLE, whole, theirWhole),
  };
}

const toRaw = ({ jaf, raw }: LengthRow): number => jaf.p50 / raw.p50;

function checksOf(store: string, { recent, load }: Reads): Check[] {
  const most = { rule: "at most", unit: "×" } as const;
  const each = recent.map((row) => ({
    what: `${store}: last 20 of ${integer(row.length)}, JAF to raw`,
    measured: toRaw(row),
    target: 1.5,
    ...most,
  }));
  return [...each, { what: `${store}: all 10,000, JAF to raw`, measured: toRaw(load), target: 1.3, ...most }];
}

const cellsOf = (title: string, row: LengthRow): string[] => [
  title,
  integer(row.length),
  ...[row.raw.p50, row.raw.p99, row.jaf.p50, row.jaf.p99].map(duration),
  ratio(toRaw(row)),
  duration(row.peer.p50),
  ratio(row.peer.p50 / row.besidePeer.p50),
];

const columns = ["", "stored", "raw p50", "p99", "JAF p50", "p99", "to raw", "@xynehq/jaf p50", "to JAF"];

/** The last 20 messages of conversations of every length, and all of the longest. */
export const read: Part = async (lab, { stores, quick }) => {
  const measured: { name: string; rows: readonly LengthRow[]; reads: Reads }[] = [];
  for (const kind of stores) {
    const backend = await startBackend(lab, kind);
    const reads = await measureStore(lab, backend, quick);
    measured.push({ name: backend.name, rows: reads.recent, reads });
  }
  const rows = measured.flatMap(({ name, reads }) => [
    ...reads.recent.map((row) => cellsOf(`${name}, last 20`, row)),
    cellsOf(`${name}, all`, reads.load),
  ]);
  return {
    part: "read",
    table: { columns, rows },
    checks: measured.flatMap(({ name, reads }) => checksOf(name, reads)),
    plots: [plotLengths({ file: "recent.svg", title: "Reading the last 20 messages" }, measured)],
  };
};
