import { createRunState, type Durability, run } from "@jaf/core";
import type { MemoryProvider } from "@jaf/memory";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { describe, expect, inject, it } from "vitest";
import { echoing } from "../support/pressure/agent.ts";
import { withCleanups } from "../support/pressure/cleanups.ts";
import { describeError } from "../support/pressure/load.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

interface Crowd {
  readonly provider: MemoryProvider;
  readonly runs: number;
  readonly durability?: Durability;
  /** Default: a separate conversation for each run. */
  readonly conversationOf?: (at: number) => string;
}

/** Does all runs at the same time, and returns the number of each outcome. */
async function runAll({ provider, runs, durability = "completed", conversationOf }: Crowd) {
  const memory = { provider, autoStore: true, userId: "u", durability, concurrency: "queue" } as const;
  const outcomes: Record<string, number> = {};
  const one = async (at: number) => {
    const messages = [{ role: "user", content: `hello ${at}` }] as const;
    const state = createRunState({ agentName: "echo", context: {}, messages });
    const conversationId = conversationOf?.(at) ?? `crowd ${at}`;
    const { outcome } = await run(state, { ...echoing, conversationId, memory });
    const ending = outcome.status === "completed" ? outcome.status : describeError(outcome.error);
    outcomes[ending] = (outcomes[ending] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: runs }, (_, at) => one(at)));
  return outcomes;
}

const openPostgres = (maxConnections: number) =>
  createPostgresProvider({
    connectionString: inject("pgUrl"),
    schema: `crowd_${crypto.randomUUID().replaceAll("-", "")}`,
    maxConnections,
  });

const totalOf = async (provider: MemoryProvider): Promise<number | undefined> => {
  const stats = await provider.getStats("u");
  return stats.success ? stats.data.totalMessages : undefined;
};

describe.each([1, 2])("fifty simultaneous runs on a pool of %i", (connections) => {
  it.each<Durability>(["completed", "turn", "step"])("all end, each in its conversation: %s", (durability) =>
    withCleanups(async (onEnd) => {
      const provider = await openPostgres(connections);
      onEnd(provider.close);
      expect(await runAll({ provider, runs: 50, durability })).toEqual({ completed: 50 });
      expect(await totalOf(provider)).toBe(100);
    }),
  );

  it("take turns in one conversation", () =>
    withCleanups(async (onEnd) => {
      const provider = await openPostgres(connections);
      onEnd(provider.close);
      const conversationOf = () => "shared";
      expect(await runAll({ provider, runs: 50, durability: "turn", conversationOf })).toEqual({
        completed: 50,
      });
      expect(await totalOf(provider)).toBe(100);
    }));
});

describe("ten thousand simultaneous runs", () => {
  it.each([
    ["Postgres", () => openPostgres(10)],
    [
      "Redis",
      () => createRedisProvider({ url: inject("redisUrl"), keyPrefix: `crowd:${crypto.randomUUID()}:` }),
    ],
  ])("all end on %s", (name, open) =>
    withCleanups(async (onEnd) => {
      const provider = await open();
      onEnd(provider.close);
      const began = performance.now();
      expect(await runAll({ provider, runs: 10_000 })).toEqual({ completed: 10_000 });
      expect(await totalOf(provider)).toBe(20_000);
      process.stdout.write(
        `${name}: 10,000 runs at once in ${((performance.now() - began) / 1_000).toFixed(1)} s\n`,
      );
    }),
  );
});
