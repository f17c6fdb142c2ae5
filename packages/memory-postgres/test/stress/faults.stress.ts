import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type MemoryProvider, withRetry } from "@jaf/memory";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCutProxy } from "../../../../test/cut-proxy.ts";
import { type LoadOptions, PATIENT, runLoad } from "../../../../test/faults/load.ts";
import { observe } from "../../../../test/faults/observed.ts";
import { until } from "../../../../test/polling.ts";
import { DURABLE_POSTGRES, requirePostgres, startLocalPostgres } from "../../../../test/postgres-server.ts";
import type { RestartableServer } from "../../../../test/restartable-server.ts";
import { createProvider } from "../support/provider.ts";

type Faults = LoadOptions["faults"];

const KILLS = 20;
const LOST_REPLIES = 100;

let server: RestartableServer;
beforeAll(async () => {
  server = await startLocalPostgres(requirePostgres(), DURABLE_POSTGRES);
}, 30_000);
afterAll(() => server.stop());

async function withProvider<T>(
  { port, schema }: { readonly port: number; readonly schema: string },
  use: (provider: MemoryProvider) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ host: "127.0.0.1", port, user: "postgres", database: "postgres", max: 10 });
  pool.on("error", () => {});
  try {
    return await use(await createProvider({ schema }, pool));
  } finally {
    await pool.end();
  }
}

const killOften: Faults = async (recovered) => {
  for (let round = 0; round < KILLS; round++) {
    await sleep(randomInt(100, 500));
    await server.kill();
    await server.start();
  }
  await recovered();
  return `killed ${KILLS} times`;
};

describe("Postgres, killed (SIGKILL) and restarted under 16 retrying writers", () => {
  it("keeps every acknowledged batch once, whole and in order, with matching indexes", async () => {
    const at = { port: server.port, schema: "killed" };
    const { ledger, failed, unretryable } = await withProvider(at, (provider) =>
      runLoad([provider], { title: "Postgres", faults: killOften }),
    );
    expect.soft(unretryable).toEqual([]);
    expect(failed).toBeGreaterThan(KILLS);
    expect(await withProvider(at, ledger.problems)).toEqual([]);
  });
});

describe("lost replies of Postgres", () => {
  it("cause no duplicates with a retry", async () => {
    const proxy = await startCutProxy(
      server.port,
      (request) => request.includes("to be lost") && proxy.cuts() === 0,
    );
    await withProvider({ port: proxy.port, schema: "cut_once" }, async (provider) => {
      const observed = observe(provider);
      const appended = withRetry(observed.provider, PATIENT).appendMessages("c", [
        { role: "user", content: "to be lost" },
      ]);
      expect(await appended).toMatchObject({ success: true });
      expect(observed.failed()).toBe(1);
      expect(await provider.getConversation("c")).toMatchObject({
        data: { messages: [{ content: "to be lost" }], metadata: { version: 1 } },
      });
    });
    await proxy.stop();
  });

  it("now and then, under 16 retrying writers, cause no lost and no duplicate messages", async () => {
    const proxy = await startCutProxy(
      server.port,
      (request) => request.includes("shared-") && Math.random() < 1 / 20,
    );
    const faults: Faults = async (recovered) => {
      await until("Replies are lost", async () => proxy.cuts() >= LOST_REPLIES);
      await recovered();
      return `${proxy.cuts()} replies lost`;
    };
    const { ledger, failed, unretryable } = await withProvider(
      { port: proxy.port, schema: "cut_often" },
      (provider) => runLoad([provider], { title: "Postgres", faults }),
    );
    await proxy.stop();
    expect.soft(unretryable).toEqual([]);
    expect(failed).toBeGreaterThanOrEqual(LOST_REPLIES);
    expect(await withProvider({ port: server.port, schema: "cut_often" }, ledger.problems)).toEqual([]);
  });
});
