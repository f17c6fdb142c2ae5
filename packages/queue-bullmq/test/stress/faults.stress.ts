import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TurnPointer } from "@jaf/memory";
import type { TurnQueue } from "@jaf/memory/adapter";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { DURABLE_REDIS, requireRedis, startLocalRedis } from "../../../../test/redis-server.ts";
import type { RestartableServer } from "../../../../test/restartable-server.ts";
import { createBullMQQueue } from "../../src/index.ts";
import { jobIdOf } from "../../src/job.ts";
import { freshPrefix } from "../support/queues.ts";

/** Longer than a lock and three checks. */
const REDELIVERY = { timeout: 120_000 };
const LONG_MS = 40_000;

let server: RestartableServer;
beforeAll(async () => {
  server = await startLocalRedis(requireRedis(), DURABLE_REDIS);
}, 60_000);
afterAll(() => server.stop());

const pointerTo = (turnId: string): TurnPointer => ({ conversationId: "c", turnId });

async function submit(queue: TurnQueue, turnId: string): Promise<void> {
  expect(await queue.submit(pointerTo(turnId))).toEqual({ success: true, data: undefined });
}

/** Starts a worker in a process of its own, and waits until it has a pointer. */
async function startChild(url: string, prefix: string): Promise<ChildProcess> {
  const file = await bundleProcess(new URL("../support/worker-child.ts", import.meta.url));
  const child = spawn(process.execPath, [file, url, prefix], { stdio: ["ignore", "pipe", "inherit"] });
  if (child.stdout === null) throw new Error("the process has no output");
  await once(child.stdout, "data");
  return child;
}

/** Kills a process in the middle of a turn. */
async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

function open(connection: string, prefix: string) {
  const queue = createBullMQQueue({ connection, prefix });
  const turnIds: string[] = [];
  const work = (handle: (turnId: string, signal: AbortSignal) => Promise<void> = async () => {}) =>
    queue.work({
      concurrency: 1,
      handle: ({ turnId }, signal) => {
        turnIds.push(turnId);
        return handle(turnId, signal);
      },
      onError: () => {},
    });
  return { queue, turnIds, work };
}

describe.concurrent("processes that are killed", () => {
  it("give their turn to another worker", async ({ expect }) => {
    const prefix = freshPrefix();
    const { queue, turnIds, work } = open(server.url, prefix);
    await submit(queue, "killed");
    await kill(await startChild(server.url, prefix));
    work();
    await submit(queue, "next");
    await expect.poll(() => turnIds, REDELIVERY).toEqual(["next", "killed"]);
    await queue.close();
  });

  it("do so five times, and the turn can be submitted again after it was given up", async ({ expect }) => {
    const prefix = freshPrefix();
    const { queue, turnIds, work } = open(server.url, prefix);
    await submit(queue, "t");
    for (let deaths = 0; deaths < 5; deaths++) await kill(await startChild(server.url, prefix));
    const worker = work();
    await expect.poll(() => turnIds, REDELIVERY).toEqual(["t"]);
    await worker.close();

    // What BullMQ stores about a turn that ended more processes than it allows.
    await submit(queue, "u");
    const client = new Redis(server.url);
    await client.hset(
      `${prefix}:jaf-turns:${jobIdOf(pointerTo("u"))}`,
      "defa",
      "job stalled more than allowable limit",
    );
    work();
    const isKnown = () => client.exists(`${prefix}:jaf-turns:${jobIdOf(pointerTo("u"))}`);
    await expect.poll(isKnown, REDELIVERY).toBe(0);
    expect(turnIds).toEqual(["t"]);
    await submit(queue, "u");
    await expect.poll(() => turnIds, REDELIVERY).toEqual(["t", "u"]);
    client.disconnect();
    await queue.close();
  });
});

it("a turn that takes much longer than a lock is delivered once", async () => {
  const { queue, turnIds, work } = open(server.url, freshPrefix());
  const signals: AbortSignal[] = [];
  const handle = async (_: string, signal: AbortSignal) => {
    signals.push(signal);
    await new Promise((resolve) => setTimeout(resolve, LONG_MS));
  };
  const workers = [work(handle), work(handle)];
  await submit(queue, "long");
  await expect.poll(() => turnIds).toEqual(["long"]);
  await Promise.all(workers.map((worker) => worker.close()));
  expect(turnIds).toEqual(["long"]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await queue.close();
});

describe("a Redis that is killed and started again", () => {
  it("loses no turn, and workers go on", async () => {
    const { queue, turnIds, work } = open(server.url, freshPrefix());
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await submit(queue, "running");
    work((turnId) => (turnId === "running" ? held : Promise.resolve()));
    await expect.poll(() => turnIds).toEqual(["running"]);
    await submit(queue, "waiting");
    await server.kill();
    expect(await queue.submit(pointerTo("during"))).toMatchObject({
      error: { _tag: "MemoryConnectionError", retryable: true },
    });
    release();
    await server.start();
    const isBack = async () => (await queue.submit(pointerTo("after"))).success;
    await expect.poll(isBack, REDELIVERY).toBe(true);
    await expect
      .poll(() => [...new Set(turnIds)].toSorted(), REDELIVERY)
      .toEqual(["after", "running", "waiting"]);
    await queue.close();
  });

  it("doesn't keep a worker from closing once its turns have ended", async () => {
    const { queue, turnIds, work } = open(server.url, freshPrefix());
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await submit(queue, "running");
    const worker = work(() => held);
    await expect.poll(() => turnIds).toEqual(["running"]);
    await server.kill();
    let isClosed = false;
    const closing = worker.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(isClosed).toBe(false);
    release();
    await closing;
    expect(await queue.close()).toEqual({ success: true, data: undefined });
    await server.start();
  });
});
