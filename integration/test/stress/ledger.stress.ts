import type { LedgerStore, Result } from "@jaf/memory";
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

describe.each(["redis", "redis-cluster", "postgres"] as const)("the ledger on %s", (backend) => {
  it(`lets ${PROCESSES} processes exceed a user's budget by no more than their calls in flight`, () =>
    withCleanups(async (onEnd) => {
      const place = placeOn(backend);
      const { ledger, end } = await openLedger(place);
      onEnd(end);
      const call = { userId: "spender", tenantId: "t", agentName: "agent", model: "model" };
      const began = performance.now();
      const recorded = await spendInProcesses(PROCESSES, {
        place,
        limit: LIMIT * COST,
        call: { ...call, calls: 1, inputTokens: 3, cost: COST },
        callMs: 5,
      });
      const calls = recorded.reduce((sum, one) => sum + one, 0);
      process.stdout.write(
        `${backend}: ${calls} calls of ${PROCESSES} processes on a budget of ${LIMIT}, ` +
          `${Math.min(...recorded)} to ${Math.max(...recorded)} each, ${Math.round(performance.now() - began)} ms\n`,
      );
      // Each process reads the sum before its call, so at most one call of each is above the limit.
      expect(calls).toBeGreaterThanOrEqual(LIMIT);
      expect(calls).toBeLessThan(LIMIT + PROCESSES);
      const sum = { calls, inputTokens: 3 * calls, cost: Number((COST * calls).toFixed(12)) };
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

  it("reads amounts and records as fast with 100,000 sums as with one", () =>
    withCleanups(async (onEnd) => {
      const { ledger, end } = await openLedger(placeOn(backend));
      onEnd(end);
      const scopes = [BUDGET, { of: "everyone", period: "month" }] as const;
      const measure = async () => ({
        read: await medianTime(async () => dataOf(await ledger.amounts(scopes))),
        record: await medianTime(() => fill(ledger, { users: 1, tools: 1 })),
      });
      await measure();
      const before = await measure();
      await fill(ledger, { users: 1_000, tools: 100 });
      const after = await measure();
      const began = performance.now();
      const rows = dataOf(await ledger.report({ by: ["tool"], limit: 5 }));
      const inMs = ({ read, record }: typeof before) => `${read.toFixed(2)} and ${record.toFixed(2)} ms`;
      process.stdout.write(
        `${backend}: amounts and record in ${inMs(before)} with one sum, ${inMs(after)} with 100,000; ` +
          `a report over them in ${Math.round(performance.now() - began)} ms\n`,
      );
      expect(rows.length).toBe(5);
      expect(after.read).toBeLessThan(3 * before.read + 2);
      expect(after.record).toBeLessThan(3 * before.record + 2);
    }));
});

/** Returns how long one of 200 calls takes, in ms. */
async function medianTime(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 200; count++) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[100] ?? 0;
}

/** Records a call of each user with each tool. */
async function fill(ledger: LedgerStore, { users, tools }: { users: number; tools: number }): Promise<void> {
  for (let user = 0; user < users; user++) {
    const entries = Array.from({ length: tools }, (_, tool) => ({
      ...{ userId: user === 0 ? "spender" : `user-${user}`, agentName: "agent", model: "model" },
      ...{ tool: `tool-${tool}`, calls: 1, cost: COST },
    }));
    dataOf(await ledger.record(entries));
  }
}
