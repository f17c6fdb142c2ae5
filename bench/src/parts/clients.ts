import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import { integer } from "../report/format.ts";
import type { Check } from "../results.ts";
import { median } from "../statistics.ts";
import type { Clients, ContenderName } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import type { Store } from "../stores/store.ts";
import type { Part } from "./part.ts";

const CLIENTS = 64;
/** What of what, in percent at least; each beside what writes as much. */
const TARGETS = [
  { name: "JAF", of: "raw", target: { redis: 75, postgres: 70 } },
  { name: "JAF as the engine", of: "raw with a head", target: { redis: 75, postgres: undefined } },
  {
    name: "JAF as the engine",
    of: "JAF as the engine, no index on activity",
    target: { redis: undefined, postgres: 95 },
  },
] as const satisfies readonly {
  readonly name: ContenderName;
  readonly of: ContenderName;
  readonly target: Readonly<Record<StoreKind, number | undefined>>;
}[];

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
  readonly rates: ReadonlyMap<ContenderName, readonly Rate[]>;
  readonly heapOnly: ReadonlyMap<ContenderName, number>;
}

async function measureClients(
  lab: Lab,
  { name, contenders }: Clients,
  { sliceMs, count }: Slices,
): Promise<Omit<Measured, "kind">> {
  const rates = new Map<ContenderName, Rate[]>(contenders.map((contender) => [contender.name, []]));
  for (let round = 0; round <= count; round++) {
    lab.progress(`${name}: slice ${round} of ${count}${round === 0 ? ", to warm up" : ""}`);
    // Each in its turn is the first.
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const rate = await slice(contender.stores, `${name}-${contender.name}-${round}`, sliceMs);
      if (round > 0) rates.get(contender.name)?.push(rate);
    }
  }
  const heapOnly = new Map<ContenderName, number>();
  for (const { name: contender, heapOnlyPercent } of contenders) {
    if (heapOnlyPercent !== undefined) heapOnly.set(contender, await heapOnlyPercent());
  }
  return { way: name, rates, heapOnly };
}

const percent = (value: number): string => `${integer(value)}%`;

const medianOf = (rates: readonly Rate[], of: keyof Rate): number => median(rates.map((rate) => rate[of]));

/** The median of the shares in each round: what else the machine does weighs on both. `NaN`: not measured. */
function shareOf({ rates }: Measured, name: ContenderName, of: ContenderName): number {
  const base = rates.get(of) ?? [];
  const own = rates.get(name) ?? [];
  return median(
    own.map(({ turnsPerSecond }, at) => (100 * turnsPerSecond) / (base[at]?.turnsPerSecond ?? Number.NaN)),
  );
}

const cellsOf = (measured: Measured): string[][] =>
  [...measured.rates].map(([name, rates]) => {
    const heapOnly = measured.heapOnly.get(name);
    return [
      measured.way,
      name,
      integer(medianOf(rates, "turnsPerSecond")),
      percent(shareOf(measured, name, "raw")),
      percent(shareOf(measured, name, "raw with a head")),
      heapOnly === undefined ? "" : percent(heapOnly),
      percent(medianOf(rates, "cpuPercent")),
    ];
  });

const checksOf = (measured: Measured): Check[] =>
  TARGETS.flatMap(({ name, of, target }) => {
    const least = target[measured.kind];
    if (least === undefined) return [];
    return {
      what: `${CLIENTS} clients of ${measured.way}: ${name}, of ${of}`,
      measured: shareOf(measured, name, of),
      rule: "at least",
      target: least,
      unit: "%",
    };
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
  const columns = ["", "", "turns a second", "of raw", "of raw with a head", "heap-only", "client's CPU"];
  return {
    part: "clients",
    table: { columns, rows: measured.flatMap(cellsOf) },
    checks: measured.flatMap(checksOf),
    plots: [],
  };
};
