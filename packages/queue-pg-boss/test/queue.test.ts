import { isFailure } from "@jaf/memory";
import type { TurnQueue } from "@jaf/memory/adapter";
import pg from "pg";
import PgBoss from "pg-boss";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { freePort } from "../../../test/servers.ts";
import { createPgBossQueue, type PgBossQueueOptions } from "../src/index.ts";
import { dataOf, dropSchemas, freshSchema, runSql, statesOf } from "./support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

const queues: TurnQueue[] = [];
const open = (options: PgBossQueueOptions): TurnQueue => {
  const queue = createPgBossQueue(options);
  queues.push(queue);
  return queue;
};
const openIn = (schema: string): TurnQueue => open({ connectionString: inject("pgUrl"), schema });

afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close();
});
afterAll(() => dropSchemas(schemas));

const pointer = { conversationId: "c", turnId: "t" };
const onError = () => {};

/** A worker whose handlers run until `release`. */
function hold(queue: TurnQueue) {
  const signals: AbortSignal[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const worker = queue.work({
    concurrency: 1,
    onError,
    handle: (_, signal) => {
      signals.push(signal);
      return held;
    },
  });
  return { worker, signals, release: () => release() };
}

describe("jobs", () => {
  it("hold only the pointer, and leave no row behind", async () => {
    const schema = schemaOf();
    const queue = openIn(schema);
    dataOf(await queue.submit(pointer, { priority: 7, group: "ada" }));
    const [row] = await runSql(`SELECT * FROM ${schema}.job`);
    expect(row).toMatchObject({ data: pointer, priority: 7, output: null, policy: "short" });
    expect(JSON.stringify(row)).not.toContain("ada");
    const { signals, release } = hold(queue);
    await expect.poll(() => signals.length).toBe(1);
    release();
    await expect.poll(() => statesOf(schema)).toEqual([]);
  });

  it("are delivered again while an earlier job hangs in a dead worker, which is removed in the end", async () => {
    const schema = schemaOf();
    const [dead, alive] = [openIn(schema), openIn(schema)];
    const hanging = hold(dead);
    dataOf(await dead.submit(pointer));
    await expect.poll(() => hanging.signals.length).toBe(1);
    const boss = new PgBoss({ connectionString: inject("pgUrl"), schema, schedule: false, supervise: false });
    await boss.start();
    try {
      let deliveries = 0;
      alive.work({ concurrency: 1, onError, handle: async () => void deliveries++ });
      dataOf(await alive.submit(pointer));
      await expect.poll(() => deliveries).toBe(1);
      await expect.poll(() => statesOf(schema)).toEqual(["active"]);
      await runSql(`UPDATE ${schema}.job SET started_on = now() - interval '1 hour'`);
      await boss.expire();
      await expect.poll(() => deliveries).toBe(2);
      await expect.poll(() => statesOf(schema)).toEqual([]);
    } finally {
      await boss.stop({ graceful: false });
      hanging.release();
    }
  });

  it("stay with their new worker if the old one rejects", async () => {
    const schema = schemaOf();
    const [first, second] = [openIn(schema), openIn(schema)];
    let reject = () => {};
    let isTaken = false;
    first.work({
      concurrency: 1,
      onError,
      handle: () =>
        new Promise((_, refuse) => {
          isTaken = true;
          reject = () => refuse(new Error("lost"));
        }),
    });
    dataOf(await first.submit(pointer));
    await expect.poll(() => isTaken).toBe(true);
    await runSql(`UPDATE ${schema}.job SET retry_count = retry_count + 1`); // as if another worker had taken it
    reject();
    await first.close();
    expect(await statesOf(schema)).toEqual(["active"]);
    await second.close();
  });

  it("that another program sent are removed", async () => {
    const schema = schemaOf();
    const queue = openIn(schema);
    dataOf(await queue.submit(pointer));
    await runSql(`UPDATE ${schema}.job SET data = '{"turnId": 1}'`);
    queue.work({ concurrency: 1, onError, handle: async () => expect.fail("handled") });
    await expect.poll(() => statesOf(schema)).toEqual([]);
  });

  it("wait until the last date", async () => {
    const schema = schemaOf();
    const queue = openIn(schema);
    dataOf(await queue.submit(pointer, { at: new Date(8.64e15) }));
    expect(await statesOf(schema)).toEqual(["created"]);
    expect(dataOf(await queue.cancel(pointer))).toBe(true);
  });
});

describe("a queue", () => {
  it("creates the tables in one empty schema with 6 others at the same time", async () => {
    const schema = schemaOf();
    const all = Array.from({ length: 6 }, () => openIn(schema));
    const results = await Promise.all(
      all.map((queue, at) => queue.submit({ conversationId: "c", turnId: `${at % 3}` })),
    );
    expect(results.filter(isFailure)).toEqual([]);
    expect(await statesOf(schema)).toEqual(["created", "created", "created"]);
  });

  it("queues a pointer once if the queue had another policy", async () => {
    const schema = schemaOf();
    const boss = new PgBoss({ connectionString: inject("pgUrl"), schema, schedule: false });
    await boss.start();
    await boss.createQueue("jaf-turns");
    await boss.stop({ graceful: false });
    const queue = openIn(schema);
    dataOf(await queue.submit(pointer));
    dataOf(await queue.submit(pointer));
    expect(await statesOf(schema)).toEqual(["created"]);
    expect(dataOf(await queue.cancel(pointer))).toBe(true);
  });

  it("works on a pool and on a PgBoss, and leaves both open", async () => {
    const schema = schemaOf();
    const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 3 });
    const boss = new PgBoss({ connectionString: inject("pgUrl"), schema, schedule: false });
    await boss.start();
    try {
      const [onPool, onBoss] = [open({ pool, schema }), open({ boss, schema })];
      const turnIds: string[] = [];
      onPool.work({ concurrency: 1, onError, handle: async ({ turnId }) => void turnIds.push(turnId) });
      dataOf(await onBoss.submit(pointer));
      await expect.poll(() => turnIds).toEqual(["t"]);
      await onPool.close();
      dataOf(await onBoss.submit(pointer));
      expect(dataOf(await onBoss.cancel(pointer))).toBe(true);
      await onBoss.close();
      expect((await pool.query("SELECT 1")).rowCount).toBe(1);
      expect(await boss.getQueueSize("jaf-turns")).toBe(0);
      expect(pool.totalCount).toBe(pool.idleCount);
    } finally {
      await boss.stop({ graceful: false });
      await pool.end();
    }
  });

  it("fails until the PgBoss is started", async () => {
    const schema = schemaOf();
    const boss = new PgBoss({ connectionString: inject("pgUrl"), schema, schedule: false });
    const queue = open({ boss, schema });
    const early = await queue.submit(pointer);
    expect(early).toMatchObject({ error: { _tag: "MemoryConnectionError", retryable: true } });
    await boss.start();
    dataOf(await queue.submit(pointer));
    await boss.stop({ graceful: false });
  });

  it.each<[string, unknown, RegExp]>([
    ["no place", {}, /one of `connectionString`, `pool` and `boss`/],
    ["two places", { connectionString: "postgres://h", pool: { connect: () => {} } }, /one of/],
    ["another URL", { connectionString: "redis://h" }, /connectionString/],
    ["no pool", { pool: {} }, /pool: expected a Pool/],
    ["no PgBoss", { boss: {} }, /boss: expected a PgBoss/],
    ["a hostile schema", { connectionString: "postgres://h", schema: "a;b" }, /schema/],
    ["a hostile name", { connectionString: "postgres://h", name: "a'b" }, /name/],
    ["an unknown option", { connectionString: "postgres://h", url: "" }, /url/],
  ])("refuses %s", (_, options, named) => {
    const create = () => createPgBossQueue(options as PgBossQueueOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(named);
  });
});

describe("without a server", () => {
  let url = "";
  beforeAll(async () => {
    url = `postgres://ada:secret@127.0.0.1:${await freePort()}/db`;
  });

  it("fails with a retryable error that names neither the turn nor the server", async () => {
    const queue = open({ connectionString: url });
    for (const call of [queue.submit(pointer), queue.cancel(pointer)]) {
      const result = await call;
      expect(result).toMatchObject({
        error: { _tag: "MemoryConnectionError", retryable: true, provider: "pg-boss" },
      });
      expect(JSON.stringify(result)).not.toMatch(/secret|127\.0\.0\.1|"c"|"t"/);
    }
  });

  it("a worker reports it, and closes", async () => {
    const queue = open({ connectionString: url });
    const errors: unknown[] = [];
    const worker = queue.work({
      concurrency: 1,
      handle: async () => {},
      onError: (error) => {
        errors.push(error);
        throw new Error("an observer that throws");
      },
    });
    await expect.poll(() => errors.length).toBeGreaterThan(1);
    expect(errors[0]).toMatchObject({ _tag: "MemoryConnectionError", operation: "work", retryable: true });
    await worker.close();
  });
});
