import type { Result } from "@jaf/memory";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { type LedgerPlace, openLedger } from "../support/ledger/place.ts";
import { spendInProcesses } from "../support/ledger/spenders.ts";
import { BUDGET } from "../support/ledger/spending.ts";
import { withCleanups } from "../support/pressure/cleanups.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
    redisClusterUrls: string[];
  }
}

const PROCESSES = 64;
const COST = 0.01;
/** In calls: about ten for each process. */
const LIMIT = 640;

const schemas: string[] = [];
afterAll(async () => {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  await client.query("SET client_min_messages = warning");
  for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await client.end();
});

function placeOn(backend: LedgerPlace["backend"]): LedgerPlace {
  const namespace = `ledger_${crypto.randomUUID().replaceAll("-", "")}`;
  if (backend === "postgres") schemas.push(namespace);
  const urls = {
    redis: [inject("redisUrl")],
    "redis-cluster": inject("redisClusterUrls"),
    postgres: [inject("pgUrl")],
  };
  return { backend, urls: urls[backend], namespace };
}

function dataOf<T>(result: Result<T>): T {
  if (result.success) return result.data;
  throw new Error(result.error.message);
}

describe.each(["redis", "redis-cluster", "postgres"] as const)("runs with a ledger on %s", (backend) => {
  it(`of ${PROCESSES} processes exceed a user's budget by no more than their calls in flight`, () =>
    withCleanups(async (onEnd) => {
      const place = placeOn(backend);
      const { ledger, end } = await openLedger(place);
      onEnd(end);
      const call = { userId: "spender", tenantId: "t", agentName: "agent", model: "model" };
      const began = performance.now();
      const recorded = await spendInProcesses(PROCESSES, {
        place,
        limit: LIMIT * COST,
        call: { ...call, inputTokens: 5, cost: COST },
        callMs: 5,
      });
      const calls = recorded.reduce((sum, one) => sum + one, 0);
      process.stdout.write(
        `${backend}: ${calls} calls of ${PROCESSES} processes on a budget of ${LIMIT}, ` +
          `${Math.min(...recorded)} to ${Math.max(...recorded)} each, ${Math.round(performance.now() - began)} ms\n`,
      );
      // Each run reads the sum before its call, so at most one call of each is above the limit.
      expect(calls).toBeGreaterThanOrEqual(LIMIT);
      expect(calls).toBeLessThan(LIMIT + PROCESSES);
      const sum = { calls, inputTokens: 5 * calls, cost: Number((COST * calls).toFixed(12)) };
      const scopes = [
        BUDGET,
        { of: "tenant", id: "t", period: "month" },
        { of: "everyone", period: "day" },
      ] as const;
      expect(dataOf(await ledger.amounts(scopes))).toMatchObject([sum, sum, sum]);
      expect(dataOf(await ledger.report({ by: ["user", "agent"] }))).toMatchObject([
        { user: "spender", agent: "agent", ...sum },
      ]);
    }));
});
