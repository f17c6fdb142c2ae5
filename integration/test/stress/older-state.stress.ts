import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import pg from "pg";
import { expect, it } from "vitest";
import { requirePostgres, startLocalPostgres } from "../../../test/postgres-server.ts";
import { redisCommand } from "../../../test/redis-command.ts";
import { requireRedis, startLocalRedis } from "../../../test/redis-server.ts";
import { withCleanups } from "../support/pressure/cleanups.ts";
import { startLoad } from "../support/pressure/load.ts";

// Like a failover to a lagging replica: the store's state is a few seconds older than what its readers have seen.

const STEP_MS = 2_000;

interface Timeline {
  readonly provider: MemoryProvider;
  /** Saves the state. Everything later is lost by `goBack`. */
  readonly mark: () => Promise<unknown>;
  readonly goBack: () => Promise<unknown>;
}

async function expectToGoOn(title: string, { provider, mark, goBack }: Timeline): Promise<void> {
  const load = startLoad(provider, crypto.randomUUID());
  await load.recovered();
  const from = load.turns();
  await mark();
  await sleep(STEP_MS);
  await load.recovered();
  load.takeSeen();
  await goBack();
  const before = load.turns();
  const { allMs } = await load.recovered();
  const { failures } = load.takeSeen();
  await load.stop();
  const seen = [...failures].map(([ending, count]) => `${ending} (${count})`).join("; ");
  process.stdout.write(`| ${title} | ${seen} | ${(allMs / 1_000).toFixed(1)} s |\n`);
  expect(await load.problems(provider, { from, before })).toEqual([]);
  expect(seen).not.toContain("!");
}

it("Redis with an older state after a restart continues from there", () =>
  withCleanups(async (onEnd) => {
    const server = await startLocalRedis(requireRedis(), ["save", "", "appendonly", "no"]);
    onEnd(server.stop);
    const provider = await createRedisProvider({ url: server.url });
    onEnd(provider.close);
    await expectToGoOn("Redis", {
      provider,
      mark: () => redisCommand(server.port, "SAVE"),
      goBack: async () => {
        await server.kill();
        await server.start();
      },
    });
  }));

it("Postgres with an older state after a restart continues from there", () =>
  withCleanups(async (onEnd) => {
    const server = await startLocalPostgres(requirePostgres());
    onEnd(server.stop);
    const admin = new pg.Client(server.url);
    await admin.connect();
    onEnd(() => admin.end());
    await admin.query("CREATE DATABASE present");
    const provider = await createPostgresProvider({
      connectionString: new URL("/present", server.url).href,
    });
    onEnd(provider.close);
    // A database can only be copied or renamed without connections to it.
    const alone = async (...statements: readonly string[]) => {
      await admin.query("ALTER DATABASE present ALLOW_CONNECTIONS false");
      await admin.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'present'",
      );
      for (const statement of statements) await admin.query(statement);
      await admin.query("ALTER DATABASE present ALLOW_CONNECTIONS true");
    };
    await expectToGoOn("Postgres", {
      provider,
      mark: () => alone("CREATE DATABASE past TEMPLATE present"),
      goBack: () => alone("ALTER DATABASE present RENAME TO future", "ALTER DATABASE past RENAME TO present"),
    });
  }));
