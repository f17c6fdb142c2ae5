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

it("turns of a killed process go to another: at once if submitted again, and otherwise when they expire", async () => {
  const schema = freshSchema();
  const queue = open(schema);
  const killed = await startChild(schema);
  for (const turnId of ["hang", "hang alone"]) dataOf(await queue.submit(pointerTo(turnId)));
  await until("the turns begin", async () => killed.lines.includes("delivered hang alone"));
  await killed.kill();
  const turnIds: string[] = [];
  queue.work({
    concurrency: 1,
    onError: () => {},
    handle: async ({ turnId }) => void turnIds.push(turnId),
  });
  dataOf(await queue.submit(pointerTo("hang")));
  await until("the turn is delivered again", async () => turnIds.length === 1);
  expect(turnIds).toEqual(["hang"]);
  // The jobs of the killed process expire, are delivered once more, and are removed.
  await expect.poll(() => jobsIn(schema), { timeout: 240_000, interval: 500 }).toEqual([]);
  expect(turnIds.toSorted()).toEqual(["hang", "hang", "hang alone"]);
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
