import { fileURLToPath } from "node:url";
import type { MemoryProvider } from "@jaf/memory";
import { inParallel, type Lab, withLab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import { runProgram } from "../program.ts";
import { duration, integer, ratio, renderTable } from "../report.ts";
import { openPool, startPostgresServer } from "../stores/postgres.ts";
import { connectRedis, startRedisServer } from "../stores/redis.ts";
import { type Checkout, loadCheckout } from "./checkout.ts";
import { type Contender, measurePair, toRatio } from "./measure.ts";
import { type CompareOptions, parseCompareOptions, usage } from "./options.ts";
import { type Call, primitives, seed, shared } from "./workloads.ts";

/** Long ones take long to fill, and grow by little. */
const conversationsFor = (length: number): number => (length > 1_000 ? 6 : 40);

interface Opened {
  readonly name: string;
  readonly open: (checkout: Checkout, namespace: string) => Promise<MemoryProvider>;
  /** Leaves no housekeeping of the filling to the measurement. */
  readonly tidy: () => Promise<void>;
}

async function openServer(lab: Lab, kind: StoreKind): Promise<Opened> {
  if (kind === "redis") {
    const url = await startRedisServer(lab);
    const open: Opened["open"] = async (checkout, namespace) =>
      checkout.openRedis(namespace, await connectRedis(lab, url));
    return { name: "Redis", open, tidy: async () => {} };
  }
  const url = await startPostgresServer(lab);
  const admin = openPool(lab, url, 1);
  return {
    name: "Postgres",
    open: (checkout, namespace) => checkout.openPostgres(namespace, openPool(lab, url, 4)),
    tidy: async () => {
      await admin.query("VACUUM ANALYZE");
      await admin.query("CHECKPOINT");
    },
  };
}

/** Calls on conversations of its own, one after another. */
async function contender(
  name: string,
  provider: MemoryProvider,
  { length, call }: { readonly length: number; readonly call: Call },
): Promise<Contender> {
  const ids = Array.from({ length: conversationsFor(length) }, (_, n) => `${name}-${length}-${n}`);
  await inParallel(ids, 2, (id) => seed(provider, id, length));
  let calls = 0;
  return {
    name,
    once: () => {
      calls += 1;
      return call(ids[calls % ids.length] as string);
    },
  };
}

async function compareCheckouts(
  lab: Lab,
  { name, open, tidy }: Opened,
  { both, options }: { readonly both: readonly [Checkout, Checkout]; readonly options: CompareOptions },
) {
  const providers = [await open(both[0], "other"), await open(both[1], "this")] as const;
  const rows: string[][] = [];
  for (const { name: what, length, share, prepare } of shared) {
    lab.progress(`${name}: ${what}, ${integer(length)} stored`);
    const pair = [
      await contender(what, providers[0], { length, call: prepare(providers[0]) }),
      await contender(what, providers[1], { length, call: prepare(providers[1]) }),
    ] as const;
    await tidy();
    const calls = Math.max(10, Math.round(options.calls * share));
    const measured = toRatio(await measurePair(pair, { rounds: options.rounds, calls }));
    rows.push([
      ...[name, what, integer(length), duration(measured.first), duration(measured.second)],
      ...[ratio(measured.ratio), `${ratio(measured.lowest)} to ${ratio(measured.highest)}`],
    ]);
  }
  return rows;
}

async function comparePrimitives(
  lab: Lab,
  { name, open, tidy }: Opened,
  { own, options }: { readonly own: Checkout; readonly options: CompareOptions },
) {
  const provider = await open(own, "primitives");
  const rows: string[][] = [];
  for (const { name: what, beside, length, prepare, prepareBeside } of primitives) {
    lab.progress(`${name}: ${what} beside ${beside}`);
    const pair = [
      await contender(beside, provider, { length, call: prepareBeside(provider) }),
      await contender(what, provider, { length, call: prepare(provider) }),
    ] as const;
    await tidy();
    const measured = toRatio(await measurePair(pair, options));
    rows.push([
      ...[name, `${what}, beside ${beside}`, integer(length), duration(measured.first)],
      ...[duration(measured.second), ratio(measured.ratio)],
      `${ratio(measured.lowest)} to ${ratio(measured.highest)}`,
    ]);
  }
  return rows;
}

async function compare(options: CompareOptions): Promise<void> {
  const here = fileURLToPath(new URL("../../../", import.meta.url));
  const both = [await loadCheckout(options.other), await loadCheckout(here)] as const;
  const columns = ["", "", "stored", "other p50", "this p50", "this to other", "of the rounds"];
  const rows: string[][] = [];
  const own: string[][] = [];
  for (const kind of options.stores) {
    await withLab(async (lab) => {
      const server = await openServer(lab, kind);
      rows.push(...(await compareCheckouts(lab, server, { both, options })));
      own.push(...(await comparePrimitives(lab, server, { own: both[1], options })));
    });
  }
  console.log(`\n${renderTable({ columns, rows })}\n`);
  const besides = ["", "", "stored", "beside p50", "p50", "ratio", "of the rounds"];
  console.log(renderTable({ columns: besides, rows: own }));
}

await runProgram(usage, async () => {
  const options = parseCompareOptions();
  if (options === undefined) console.log(usage);
  else await compare(options);
});
