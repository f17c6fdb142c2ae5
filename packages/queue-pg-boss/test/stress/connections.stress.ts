import { describeTurnQueueConformance } from "@jaf/memory/testing";
import pg from "pg";
import PgBoss from "pg-boss";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBlackHoleProxy } from "../../../../test/black-hole-proxy.ts";
import { startPgBouncer } from "../../../../test/pgbouncer.ts";
import type { RunningServer } from "../../../../test/servers.ts";
import { createPgBossQueue } from "../../src/index.ts";
import { dataOf, dropSchemas, freshSchema } from "../support/stores.ts";
import { createTestQueues } from "../support/test-queues.ts";

const schemas = { bouncer: freshSchema(), pool: freshSchema(), boss: freshSchema(), hole: freshSchema() };
let bouncer: RunningServer;
let pool: pg.Pool;
let boss: PgBoss;

beforeAll(async () => {
  bouncer = await startPgBouncer(inject("pgUrl"));
  pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
  boss = new PgBoss({ connectionString: inject("pgUrl"), schema: schemas.boss });
  await boss.start();
});
afterAll(async () => {
  await boss.stop({ graceful: false });
  await pool.end();
  await bouncer.stop();
  await dropSchemas(Object.values(schemas));
});

describeTurnQueueConformance({
  name: "pg-boss, PgBouncer in transaction mode",
  createQueue: createTestQueues({
    schema: schemas.bouncer,
    connect: () => ({ connectionString: bouncer.url }),
  }),
});

describeTurnQueueConformance({
  name: "pg-boss, a pool of the application",
  createQueue: createTestQueues({ schema: schemas.pool, connect: () => ({ pool }) }),
});

describeTurnQueueConformance({
  name: "pg-boss, a PgBoss of the application",
  createQueue: createTestQueues({ schema: schemas.boss, connect: () => ({ boss }) }),
});

describe("a server that stops answering", () => {
  it.each(["a connection string", "a pool", "a PgBoss"])(
    "fails the calls of %s, and lets workers close",
    async (kind) => {
      const url = new URL(inject("pgUrl"));
      const proxy = await startBlackHoleProxy(Number(url.port));
      url.port = String(proxy.port);
      const connectionString = url.href;
      const own = new pg.Pool({ connectionString, max: 3 });
      own.on("error", () => {});
      const ownBoss = new PgBoss({
        connectionString,
        schema: schemas.hole,
        supervise: false,
        schedule: false,
      });
      ownBoss.on("error", () => {});
      await ownBoss.start();
      const clients = { "a connection string": { connectionString }, "a pool": { pool: own } };
      const client = kind in clients ? clients[kind as keyof typeof clients] : { boss: ownBoss };
      const queue = createPgBossQueue({ ...client, schema: schemas.hole });
      const pointer = { conversationId: "c", turnId: kind };
      dataOf(await queue.submit(pointer, { at: new Date(Date.now() + 3_600_000) }));
      const errors: unknown[] = [];
      const worker = queue.work({
        concurrency: 1,
        handle: async () => {},
        onError: (error) => errors.push(error),
      });
      proxy.swallow();
      proxy.swallowNew(true);
      const failed = await Promise.all([queue.submit(pointer), queue.cancel(pointer)]);
      for (const result of failed)
        expect(result).toMatchObject({ error: { _tag: "MemoryConnectionError", retryable: true } });
      await expect.poll(() => errors.length, { timeout: 60_000 }).toBeGreaterThan(0);
      await worker.close();
      await proxy.stop();
      await queue.close();
      await Promise.all([own.end(), ownBoss.stop({ graceful: false })]);
    },
  );
});
