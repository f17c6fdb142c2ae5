import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { expect, it } from "vitest";
import { startFaultProxy } from "../../../test/fault-proxy.ts";
import { DURABLE_POSTGRES, requirePostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import { DURABLE_REDIS, requireRedis, startLocalRedis } from "../../../test/redis-server.ts";
import { withCleanups } from "../support/pressure/cleanups.ts";
import { startLoad } from "../support/pressure/load.ts";
import { type ProcessFigures, takeFigures } from "../support/pressure/process-figures.ts";
import { serverFaults } from "../support/pressure/server-faults.ts";

/** Default: one minute. `JAF_SOAK_SECONDS=600` makes it ten. */
const SECONDS = Number(process.env["JAF_SOAK_SECONDS"] ?? 60);

const MOST_PAUSE_MS = 3_000;
/** How much the mean of a stable heap differs between two thirds of the time. */
const SLACK_MB = 8;

const startServer = {
  Redis: () => startLocalRedis(requireRedis(), DURABLE_REDIS),
  Postgres: () => startLocalPostgres(requirePostgres(), DURABLE_POSTGRES),
};

// So a frozen server or a lost connection takes seconds instead of half a minute.
const openProvider: Record<keyof typeof startServer, (port: number) => Promise<MemoryProvider>> = {
  Redis: (port) => createRedisProvider({ url: `redis://127.0.0.1:${port}`, commandTimeoutMs: 3_000 }),
  Postgres: (port) =>
    createPostgresProvider({
      connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
      queryTimeoutMs: 3_000,
    }),
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The growth from the second third of the time to the last. The first third is the warm-up. */
function growth(figures: readonly ProcessFigures[], of: (figures: ProcessFigures) => number): number {
  const third = Math.floor(figures.length / 3);
  const values = figures.map(of);
  return mean(values.slice(-third)) - mean(values.slice(third, 2 * third));
}

it.each(["Redis", "Postgres"] as const)(
  "%s with a fault every few seconds: nothing lost or doubled, heap and listeners flat",
  (kind) =>
    withCleanups(async (onEnd) => {
      const warnings: string[] = [];
      const onWarning = ({ name }: Error) => void warnings.push(name);
      process.on("warning", onWarning);
      onEnd(() => process.off("warning", onWarning));
      const server = await startServer[kind]();
      onEnd(server.stop);
      const proxy = await startFaultProxy(server.port);
      onEnd(proxy.stop);
      const provider = await openProvider[kind](proxy.port);
      onEnd(provider.close);
      const faults = serverFaults(server, proxy);
      const { signal } = new AbortController();
      const load = startLoad(provider, crypto.randomUUID(), signal);

      const figures: ProcessFigures[] = [];
      let suffered = 0;
      const end = performance.now() + SECONDS * 1_000;
      while (performance.now() < end) {
        const fault = faults[suffered % faults.length];
        await fault?.begin();
        await sleep(Math.random() * MOST_PAUSE_MS);
        await fault?.end();
        suffered += 1;
        await load.recovered();
        figures.push(takeFigures());
      }
      await load.stop();

      const { failures } = load.takeSeen();
      const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
      const heap = growth(figures, ({ heapMb }) => heapMb);
      const resources = growth(figures, (one) => one.resources);
      process.stdout.write(
        `${kind}: ${SECONDS} s, ${suffered} faults, ${load.answered()} turns answered, ${failed} runs failed and were repeated; ` +
          `heap ${heap.toFixed(1)} MB, resources ${resources.toFixed(1)} more in the last third than in the one before\n`,
      );
      expect(await load.problems(provider)).toEqual([]);
      expect([...failures.keys()].filter((ending) => ending.includes("!"))).toEqual([]);
      expect(getEventListeners(signal, "abort")).toEqual([]);
      expect(warnings).toEqual([]);
      expect(heap).toBeLessThan(SLACK_MB);
      expect(resources).toBeLessThan(10);
    }),
  SECONDS * 2_000 + 120_000,
);
