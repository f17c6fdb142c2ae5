import type { Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report.ts";
import type { Check } from "../results.ts";
import type { Measured } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import { engineStore, jafStore } from "../stores/store.ts";
import { LENGTHS, type Length, measureLengths, type Workload } from "./lengths.ts";
import type { Part } from "./part.ts";

interface AppendRow {
  readonly length: Length;
  readonly raw: Measured;
  readonly jaf: Measured;
  readonly engine: Measured;
}

const call: Workload["call"] = (store, id) => store.append(id);

async function measureStore(lab: Lab, backend: Backend, quick: boolean): Promise<readonly AppendRow[]> {
  const rounds = backend.kind === "redis" ? 2_000 : 1_000;
  const workloads = [
    { name: "raw", store: await backend.openRaw(), call },
    { name: "jaf", store: jafStore(await backend.openProvider("jaf")), call },
    { name: "engine", store: engineStore(await backend.openProvider("jaf")), call },
  ];
  const plan = quick ? { warmUp: 5, rounds: 40 } : { warmUp: 200, rounds };
  const of = await measureLengths({ lab, backend, title: "append" }, workloads, {
    ...plan,
    lengths: LENGTHS,
    grows: 2,
  });
  return LENGTHS.map((length) => ({
    length,
    raw: of("raw", length),
    jaf: of("jaf", length),
    engine: of("engine", length),
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
  ];
}

const cellsOf = (store: string, { length, raw, jaf, engine }: AppendRow): string[] => [
  store,
  integer(length),
  ...[raw.p50, raw.p99, jaf.p50, jaf.p99].map(duration),
  ratio(jaf.p50 / raw.p50),
  duration(engine.p50),
  ratio(engine.p50 / raw.p50),
];

const columns = ["", "stored", "raw p50", "p99", "JAF p50", "p99", "to raw"].concat([
  "as the engine p50",
  "to raw",
]);

/** Appends a turn of two messages to conversations of every length. */
export const append: Part = async (lab, { stores, quick }) => {
  const measured: { name: string; rows: readonly AppendRow[] }[] = [];
  for (const kind of stores) {
    const backend = await startBackend(lab, kind);
    measured.push({ name: backend.name, rows: await measureStore(lab, backend, quick) });
  }
  return {
    table: { columns, rows: measured.flatMap(({ name, rows }) => rows.map((row) => cellsOf(name, row))) },
    checks: measured.flatMap(({ name, rows }) => checksOf(name, rows)),
  };
};
