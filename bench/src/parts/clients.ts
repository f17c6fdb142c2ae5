import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import { integer } from "../report.ts";
import type { Check } from "../results.ts";
import { median } from "../statistics.ts";
import type { Clients, ContenderName } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import type { Store } from "../stores/store.ts";
import type { Part } from "./part.ts";

const CLIENTS = 64;
/** JAF beside raw, in percent at least. */
const TARGETS: Readonly<Record<StoreKind, number>> = { redis: 75, postgres: 70 };

const contenders: readonly ContenderName[] = ["raw", "JAF", "JAF as the engine"];

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

interface Measured {
  readonly way: string;
  readonly kind: StoreKind;
  readonly rates: Readonly<Record<ContenderName, readonly Rate[]>>;
}

async function measureClients(
  lab: Lab,
  { name, stores }: Clients,
  { sliceMs, count }: Slices,
): Promise<Omit<Measured, "kind">> {
  const rates: Record<ContenderName, Rate[]> = { raw: [], JAF: [], "JAF as the engine": [] };
  for (let round = 0; round <= count; round++) {
    lab.progress(`${name}: slice ${round} of ${count}${round === 0 ? ", to warm up" : ""}`);
    // Each in its turn is the first.
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const rate = await slice(stores[contender], `${name}-${contender}-${round}`, sliceMs);
      if (round > 0) rates[contender].push(rate);
    }
  }
  return { way: name, rates };
}

const percent = (value: number): string => `${integer(value)}%`;

const medianOf = (rates: readonly Rate[], of: keyof Rate): number => median(rates.map((rate) => rate[of]));

/** Of raw: the median of the shares in each round, since what else the machine does weighs on both. */
const shareOf = ({ rates }: Measured, name: ContenderName): number =>
  median(
    rates[name].map(
      ({ turnsPerSecond }, at) => (100 * turnsPerSecond) / (rates.raw[at]?.turnsPerSecond ?? Number.NaN),
    ),
  );

const cellsOf = (measured: Measured): string[][] =>
  contenders.map((name) => [
    measured.way,
    name,
    integer(medianOf(measured.rates[name], "turnsPerSecond")),
    percent(shareOf(measured, name)),
    percent(medianOf(measured.rates[name], "cpuPercent")),
  ]);

const checkOf = (measured: Measured): Check => ({
  what: `${CLIENTS} clients of ${measured.way}: JAF, of raw`,
  measured: shareOf(measured, "JAF"),
  rule: "at least",
  target: TARGETS[measured.kind],
  unit: "%",
});

/** As many connections as a busy server has, all appending at once, as the engine does. */
export const clients: Part = async (lab, { stores, quick }) => {
  const slices = quick ? { sliceMs: 200, count: 1 } : { sliceMs: 1_000, count: 9 };
  const measured: Measured[] = [];
  for (const kind of stores) {
    const backend = await startBackend(lab, kind);
    for (const way of await backend.openMany(CLIENTS)) {
      measured.push({ kind, ...(await measureClients(lab, way, slices)) });
    }
  }
  const columns = ["", "", "turns a second", "of raw", "client's CPU"];
  return { table: { columns, rows: measured.flatMap(cellsOf) }, checks: measured.map(checkOf) };
};
