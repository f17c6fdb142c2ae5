import { type Agent, createRunState, type RunConfig, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryLedger, createInMemoryProvider, type LedgerStore } from "@jaf/memory";
import { createPostgresLedger } from "@jaf/memory-postgres";
import { createRedisLedger } from "@jaf/memory-redis";
import pg from "pg";
import { createClient } from "redis";
import { expect, inject, it, onTestFinished } from "vitest";

const RUNNING = 16;
const usage = { inputTokens: 90, outputTokens: 10 };
const maxTokens = 5_000;

const LEDGERS: Readonly<Record<string, () => Promise<LedgerStore>>> = {
  memory: async () => createInMemoryLedger(),
  redis: async () => {
    const client = await createClient({ url: inject("redisUrl") }).connect();
    onTestFinished(async () => void (await client.close()));
    return createRedisLedger({ keyPrefix: `ledger-${crypto.randomUUID()}` }, client);
  },
  postgres: async () => {
    const pool = new pg.Pool({ connectionString: inject("pgUrl") });
    const tableName = `ledger_${crypto.randomUUID().slice(0, 8)}`;
    onTestFinished(() => pool.end());
    return createPostgresLedger({ tableName }, pool);
  },
};

it.each(Object.keys(LEDGERS))(
  "runs at the same time go over a user's budget by no more than their calls (%s)",
  async (name) => {
    const store = await LEDGERS[name]?.();
    if (store === undefined) throw new Error("no such ledger");
    onTestFinished(async () => void (await store.close()));
    const agent: Agent<unknown, string> = { name: "helper", instructions: "Help." };
    const config: RunConfig<unknown> = {
      agentRegistry: new Map([["helper", agent]]),
      modelProvider: createScriptedModel<unknown>(() => ({ text: "Done.", usage })),
      memory: { provider: createInMemoryProvider(), userId: `user-${crypto.randomUUID()}` },
      ledger: { store },
      budget: { user: { maxTokens } },
    };
    const untilRefused = async () => {
      for (let completed = 0; ; completed++) {
        const messages = [{ role: "user", content: "Hi" }] as const;
        const { outcome } = await run(createRunState({ agentName: "helper", context: {}, messages }), config);
        if (outcome.status === "completed") continue;
        expect(outcome).toMatchObject({ error: { _tag: "BudgetExceeded", of: "user" } });
        return completed;
      }
    };
    const completed = await Promise.all(Array.from({ length: RUNNING }, untilRefused));
    const calls = completed.reduce((sum, count) => sum + count, 0);
    const report = await store.report({ by: ["agent", "model"] });
    expect(report).toMatchObject({
      data: [{ agent: "helper", model: "default", calls, inputTokens: 90 * calls, outputTokens: 10 * calls }],
    });
    expect(calls * 100).toBeGreaterThanOrEqual(maxTokens);
    expect(calls * 100).toBeLessThan(maxTokens + RUNNING * 100);
  },
);
