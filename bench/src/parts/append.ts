import type { Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report/format.ts";
import type { Check } from "../results.ts";
import type { Measured } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import { startPostgresBackend } from "../stores/postgres.ts";
import { startBackend } from "../stores/start-backend.ts";
import { engineStore, jafStore } from "../stores/store.ts";
import {
  LENGTHS,
  type Length,
  type LengthRow,
  measureLengths,
  plotLengths,
  type Workload,
} from "./lengths.ts";
import type { Part } from "./part.ts";

interface AppendRow extends LengthRow {
  readonly engine: Measured;
}

const call: Workload["call"] = (store, id) => store.append(id);

async function measureOurs(lab: Lab, backend: Backend, quick: boolean) {
  const rounds = backend.kind === "redis" ? 2_000 : 1_000;
  const workloads = [
    { name: "raw", store: await backend.openRaw(), call },
    { name: "jaf", store: jafStore(await backend.openProvider("jaf")), call },
    { name: "engine", store: engineStore(await backend.openProvider("jaf")), call },
  ];
  const plan = quick ? { warmUp: 5, rounds: 40 } : { warmUp: 200, rounds };
  return measureLengths({ lab, backend, title: "raw and JAF" }, workloads, {
    ...plan,
    lengths: LENGTHS,
    grows: 2,
  });
}

async function measurePeer(lab: Lab, backend: Backend, quick: boolean) {
  const workloads = [
    { name: "jaf-beside-peer", store: jafStore(await backend.openProvider("jaf")), call },
    { name: "peer", store: await backend.openPeer(), call },
  ];
  const [few, many] = quick ? [3, 10] : [40, 200];
  const part = (lengths: readonly Length[], rounds: number) =>
    measureLengths({ lab, backend, title: `JAF and @xynehq/jaf, ${lengths.join(" and ")}` }, workloads, {
      warmUp: Math.ceil(rounds / 10),
      rounds,
      lengths,
      grows: 2,
    });
  const short = await part([10, 1_000], many);
  const long = await part([10_000], few);
  return (name: string, length: Length) => (length === 10_000 ? long : short)(name, length);
}

async function measureStore(lab: Lab, backend: Backend, quick: boolean): Promise<readonly AppendRow[]> {
  const ours = await measureOurs(lab, backend, quick);
  const theirs = await measurePeer(lab, backend, quick);
  return LENGTHS.map((length) => ({
    length,
    raw: ours("raw", length),
    jaf: ours("jaf", length),
    engine: ours("engine", length),
    peer: theirs("peer", length),
    besidePeer: theirs("jaf-beside-peer", length),
  }));
}

function checksOf(store: string, rows: readonly AppendRow[]): Check[] {
  const [short, long] = [rows[0], rows.at(-1)];
  if (short === undefined || long === undefined) return [];
  const most = { rule: "at most", unit: "×" } as const;
  return [
    {
      what: `${store}: JAF to raw, 10 stored`,
      measured: short.jaf.p50 / short.raw.p50,
      target: 1.5,
      ...most,
    },
    {
      what: `${store}: JAF with 10,000 stored to JAF with 10`,
      measured: long.jaf.p50 / short.jaf.p50,
      target: 1.2,
      ...most,
    },
    {
      what: `${store}: @xynehq/jaf to JAF, 10,000 stored`,
      measured: long.peer.p50 / long.besidePeer.p50,
      rule: "at least",
      target: 40,
      unit: "×",
    },
  ];
}

const cellsOf = (store: string, row: AppendRow): string[] => [
  store,
  integer(row.length),
  ...[row.raw.p50, row.raw.p99, row.jaf.p50, row.jaf.p99].map(duration),
  ratio(row.jaf.p50 / row.raw.p50),
  duration(row.engine.p50),
  ratio(row.engine.p50 / row.raw.p50),
  duration(row.peer.p50),
  ratio(row.peer.p50 / row.besidePeer.p50),
];

const columns = ["", "stored", "raw p50", "p99", "JAF p50", "p99", "to raw"].concat([
  "as the engine p50",
  "to raw",
  "@xynehq/jaf p50",
  "to JAF",
]);

/** A turn of two messages, appended to conversations of every length. */
export const append: Part = async (lab, { stores, quick }) => {
  const backends: (() => Promise<Backend>)[] = stores.map((kind) => () => startBackend(lab, kind));
  if (stores.includes("postgres")) backends.push(() => startPostgresBackend(lab, { durable: false }));
  const measured: { name: string; rows: readonly AppendRow[] }[] = [];
  for (const start of backends) {
    const backend = await start();
    measured.push({ name: backend.name, rows: await measureStore(lab, backend, quick) });
  }
  const durable = measured.slice(0, stores.length);
  return {
    part: "append",
    table: { columns, rows: measured.flatMap(({ name, rows }) => rows.map((row) => cellsOf(name, row))) },
    checks: durable.flatMap(({ name, rows }) => checksOf(name, rows)),
    plots: [plotLengths({ file: "append.svg", title: "Appending a turn of two messages" }, durable)],
  };
};
