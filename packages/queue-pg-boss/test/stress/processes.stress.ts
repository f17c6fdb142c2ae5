import type { TurnQueue } from "@jaf/memory/adapter";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { until } from "../../../../test/polling.ts";
import { DURABLE_POSTGRES, requirePostgres, startLocalPostgres } from "../../../../test/postgres-server.ts";
import type { RestartableServer } from "../../../../test/restartable-server.ts";
import { createPgBossQueue } from "../../src/index.ts";
import { startWorkerProcess, type WorkerProcess } from "../support/child.ts";
import { dataOf, freshSchema, runSql } from "../support/stores.ts";

let server: RestartableServer;
beforeAll(async () => {
  server = await startLocalPostgres(requirePostgres(), DURABLE_POSTGRES);
}, 60_000);
afterAll(() => server.stop());

const children: WorkerProcess[] = [];
const queues: TurnQueue[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  for (const queue of queues.splice(0)) await queue.close();
});

const open = (schema: string): TurnQueue => {
  const queue = createPgBossQueue({ connectionString: server.url, schema });
  queues.push(queue);
  return queue;
};

async function startChild(schema: string): Promise<WorkerProcess> {
  const child = await startWorkerProcess(server.url, schema);
  children.push(child);
  await until("the process works", async () => child.lines.includes("ready"));
  return child;
}

const pointerTo = (turnId: string) => ({ conversationId: "c", turnId });

const jobsIn = async (schema: string): Promise<readonly unknown[]> =>
  runSql(
    `SELECT state, data FROM ${schema}.job UNION ALL SELECT state, data FROM ${schema}.archive`,
    server.url,
  );

it("a turn of a killed process goes to another at once if it is submitted again", async () => {
  const schema = freshSchema();
  const queue = open(schema);
  const killed = await startChild(schema);
  dataOf(await queue.submit(pointerTo("hang")));
  await until("the turn begins", async () => killed.lines.includes("delivered hang"));
  await killed.kill();
  const turnIds: string[] = [];
  queue.work({
    concurrency: 1,
    onError: () => {},
    handle: async ({ turnId }) => void turnIds.push(turnId),
  });
  dataOf(await queue.submit(pointerTo("hang")));
  await until("the turn is delivered again", async () => turnIds.length === 1);
  // The job of the killed process expires, is delivered once more, and is removed.
  await until("no job is left", async () => (await jobsIn(schema)).length === 0).catch(() => {});
  await until("no job is left after two minutes", async () => (await jobsIn(schema)).length === 0);
  expect(turnIds).toEqual(["hang", "hang"]);
}, 300_000);

it("a turn of a killed process is delivered again, even if nobody submits it", async () => {
  const schema = freshSchema();
  const queue = open(schema);
  const killed = await startChild(schema);
  dataOf(await queue.submit(pointerTo("hang")));
  await until("the turn begins", async () => killed.lines.includes("delivered hang"));
  await killed.kill();
  const start = performance.now();
  let deliveries = 0;
  queue.work({ concurrency: 1, onError: () => {}, handle: async () => void deliveries++ });
  await expect.poll(() => deliveries, { timeout: 240_000 }).toBe(1);
  console.log(`delivered again after ${Math.round((performance.now() - start) / 1_000)} s`);
  await until("no job is left", async () => (await jobsIn(schema)).length === 0);
}, 300_000);

it("two processes share 200 turns while Postgres is killed and restarted, and none is lost", async () => {
  const schema = freshSchema();
  const queue = open(schema);
  const workers = [await startChild(schema), await startChild(schema)];
  const ended = (turnId: string) => workers.some(({ lines }) => lines.includes(`ended ${turnId}`));
  const turnIds = Array.from({ length: 200 }, (_, at) => (at % 20 === 0 ? `slow ${at}` : `t${at}`));
  for (const [at, turnId] of turnIds.entries()) {
    if (at === 60 || at === 140) {
      await server.kill();
      const failed = await queue.submit(pointerTo(turnId));
      expect(failed).toMatchObject({ error: { _tag: "MemoryConnectionError", retryable: true } });
      await server.start();
    }
    // The search of a server submits again what isn't done.
    await until("the turn is submitted", async () => (await queue.submit(pointerTo(turnId))).success);
  }
  await until("each turn ends", async () => {
    const open = turnIds.filter((turnId) => !ended(turnId));
    for (const turnId of open) await queue.submit(pointerTo(turnId));
    return open.length === 0;
  });
  expect(workers.map(({ lines }) => lines.some((line) => line.startsWith("ended")))).toEqual([true, true]);
}, 300_000);
