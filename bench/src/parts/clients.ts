import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "../lab.ts";
import { integer } from "../report/format.ts";
import { median } from "../statistics.ts";
import { type Clients, startBackend } from "../stores/backend.ts";
import type { Store } from "../stores/store.ts";
import type { Part } from "./part.ts";

const CLIENTS = 64;
const TARGET_PERCENT = 70;

interface Slices {
  readonly sliceMs: number;
  readonly count: number;
}

interface Rate {
  readonly turnsPerSecond: number;
  /** How busy this process was, in percent of one core. */
  readonly cpuPercent: number;
}

/** Each client appends to its own conversation, the next turn as soon as the last one is acknowledged. */
async function slice(stores: readonly Store[], name: string, sliceMs: number): Promise<Rate> {
  await Promise.all(stores.map((store, index) => store.seed(`${name}-${index}`, 2)));
  let [done, running] = [0, true];
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  const clients = stores.map(async (store, index) => {
    while (running) {
      await store.append(`${name}-${index}`);
      if (running) done += 1;
    }
  });
  const end = sleep(sliceMs).then(() => {
    running = false;
    return performance.now() - start;
  });
  const [elapsedMs] = await Promise.all([end, ...clients]);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { turnsPerSecond: (done * 1_000) / elapsedMs, cpuPercent: (user + system) / (10 * elapsedMs) };
}

async function measureClients(lab: Lab, clients: Clients, { sliceMs, count }: Slices) {
  const rates: Record<"raw" | "jaf", Rate[]> = { raw: [], jaf: [] };
  for (let round = 0; round <= count; round++) {
    lab.progress(`${clients.name}: slice ${round} of ${count}${round === 0 ? ", to warm up" : ""}`);
    const order = round % 2 === 0 ? (["raw", "jaf"] as const) : (["jaf", "raw"] as const);
    for (const name of order) {
      const rate = await slice(clients[name], `${clients.name}-${name}-${round}`, sliceMs);
      if (round > 0) rates[name].push(rate);
    }
  }
  const summary = (name: keyof typeof rates): Rate => ({
    turnsPerSecond: median(rates[name].map(({ turnsPerSecond }) => turnsPerSecond)),
    cpuPercent: median(rates[name].map(({ cpuPercent }) => cpuPercent)),
  });
  return { name: clients.name, raw: summary("raw"), jaf: summary("jaf") };
}

type Row = Awaited<ReturnType<typeof measureClients>>;

const shareOf = ({ raw, jaf }: Row): number => (100 * jaf.turnsPerSecond) / raw.turnsPerSecond;

const percent = (value: number): string => `${integer(value)}%`;

const cellsOf = (row: Row): string[] => [
  row.name,
  integer(row.raw.turnsPerSecond),
  percent(row.raw.cpuPercent),
  integer(row.jaf.turnsPerSecond),
  percent(row.jaf.cpuPercent),
  percent(shareOf(row)),
];

/** As many connections as a busy server has, all appending at once. */
export const clients: Part = async (lab, { stores, quick }) => {
  const slices = quick ? { sliceMs: 200, count: 1 } : { sliceMs: 2_000, count: 5 };
  const measured: Row[] = [];
  for (const kind of stores) {
    const backend = await startBackend(lab, kind);
    for (const way of await backend.openMany(CLIENTS)) measured.push(await measureClients(lab, way, slices));
  }
  const columns = [
    "",
    "raw, turns a second",
    "client's CPU",
    "JAF, turns a second",
    "client's CPU",
    "JAF of raw",
  ];
  return {
    part: "clients",
    table: { columns, rows: measured.map(cellsOf) },
    checks: measured.map((row) => ({
      what: `${CLIENTS} clients of ${row.name}: throughput, of raw`,
      measured: shareOf(row),
      rule: "at least" as const,
      target: TARGET_PERCENT,
      unit: "%" as const,
    })),
    plots: [],
  };
};
