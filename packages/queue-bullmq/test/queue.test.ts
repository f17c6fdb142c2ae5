import type { TurnPointer } from "@jaf/memory";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, describe, expect, inject, it } from "vitest";
import { startFaultProxy } from "../../../test/fault-proxy.ts";
import { type BullMQQueueOptions, createBullMQQueue } from "../src/index.ts";
import { jobIdOf } from "../src/job.ts";
import { contentsUnder, freshPrefix } from "./support/queues.ts";

const client = new Redis(inject("redisUrl"));
afterAll(() => client.disconnect());

const open = () => {
  const prefix = freshPrefix();
  return { prefix, queue: createBullMQQueue({ connection: inject("redisUrl"), prefix }) };
};

const pointer: TurnPointer = { conversationId: "conversation-1", turnId: "turn-1" };

describe("options", () => {
  const connection = "redis://localhost";

  it.each<[string, unknown, RegExp]>([
    ["no connection", {}, /connection/],
    ["another protocol", { connection: "https://user:secret@localhost" }, /connection/],
    ["an invalid URL", { connection: "redis://user:secret@local host" }, /connection/],
    ["a name with a colon", { connection, name: "a:b" }, /name/],
    ["an empty prefix", { connection, prefix: "" }, /prefix/],
    ["an unknown option", { connection, concurrency: 5 }, /concurrency/],
  ])("refuse %s, and don't quote it", (_, options, named) => {
    const create = () => createBullMQQueue(options as BullMQQueueOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(named);
    expect(create).not.toThrow(/secret/);
  });

  it.each([{}, { maxRetriesPerRequest: null, keyPrefix: "a:" }])(
    "refuse a client of ioredis that workers can't use: %j",
    (settings) => {
      const unusable = new Redis({ ...settings, lazyConnect: true });
      expect(() => createBullMQQueue({ connection: unusable })).toThrow(/connection.*maxRetries|keyPrefix/);
    },
  );

  it("accept options of ioredis", async () => {
    const { hostname: host, port } = new URL(inject("redisUrl"));
    const queue = createBullMQQueue({ connection: { host, port: Number(port) }, prefix: freshPrefix() });
    expect(await queue.submit(pointer)).toEqual({ success: true, data: undefined });
    await queue.close();
  });
});

describe("what is stored", () => {
  it("is the pointer, and options of the job", async () => {
    const { queue, prefix } = open();
    await queue.submit(pointer, { priority: 5, group: "a user" });
    const job = await client.hgetall(`${prefix}:jaf-turns:${jobIdOf(pointer)}`);
    expect(JSON.parse(job["data"] ?? "")).toEqual(pointer);
    expect(await contentsUnder(client, prefix)).not.toContain("a user");
    await queue.close();
  });

  it("is bounded after 1,000 turns, and has none of their ids", async () => {
    const { queue, prefix } = open();
    let handled = 0;
    queue.work({
      concurrency: 50,
      handle: async () => {
        handled += 1;
        if (handled % 10 === 0) throw new Error("again");
      },
      onError: () => {},
    });
    const submissions = Array.from({ length: 1_000 }, (_, at) =>
      queue.submit({ conversationId: `conversation-${at}`, turnId: `turn-${at}` }),
    );
    expect((await Promise.all(submissions)).every(({ success }) => success)).toBe(true);
    const jobs = async () =>
      (await client.keys(`${prefix}:jaf-turns:*`)).filter((key) => /:[\w-]{43}/.test(key));
    await expect.poll(jobs, { timeout: 100_000 }).toEqual([]);
    await queue.close();
    const names = (await client.keys(`${prefix}:*`)).map((key) => key.slice(`${prefix}:jaf-turns:`.length));
    const allowed = new Set(["meta", "events", "pc", "marker", "stalled-check", "stalled", "id"]);
    expect(names.filter((name) => !allowed.has(name))).toEqual([]);
    expect(await client.xlen(`${prefix}:jaf-turns:events`)).toBeLessThan(11_000);
    expect(await contentsUnder(client, prefix)).not.toMatch(/conversation-|turn-\d/);
  });
});

describe.concurrent("a Redis that is away", () => {
  const nowhere = "redis://user:secret@127.0.0.1:1";

  it.for<[string, () => BullMQQueueOptions["connection"]]>([
    ["a URL", () => nowhere],
    ["a client of ioredis", () => new Redis(nowhere, { maxRetriesPerRequest: null }).on("error", () => {})],
    ["a client of redis", () => createClient({ url: nowhere }).on("error", () => {})],
  ])("fails calls within seconds, and hinders no close: %s", async ([, connect], { expect }) => {
    const connection = connect();
    const queue = createBullMQQueue({ connection });
    const errors: unknown[] = [];
    const worker = queue.work({
      concurrency: 1,
      handle: async () => {},
      onError: (error) => void errors.push(error),
    });
    for (const result of await Promise.all([queue.submit(pointer), queue.cancel(pointer)]))
      expect(result).toMatchObject({ error: { _tag: "MemoryConnectionError", retryable: true } });
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(errors[0]).toMatchObject({ _tag: "MemoryConnectionError", operation: "work", retryable: true });
    expect(JSON.stringify(errors)).not.toMatch(/secret|turn-1|127\.0\.0\.1/);
    await worker.close();
    expect(await queue.close()).toEqual({ success: true, data: undefined });
    if (connection instanceof Redis) connection.disconnect();
    else if (typeof connection === "object" && "destroy" in connection) connection["destroy"]();
  });

  it.for(["hole", "refuse"] as const)(
    "fails calls while it answers nothing (%s), and works after",
    async (mode, { expect }) => {
      const proxy = await startFaultProxy(Number(new URL(inject("redisUrl")).port));
      const queue = createBullMQQueue({
        connection: `redis://127.0.0.1:${proxy.port}`,
        prefix: freshPrefix(),
      });
      expect(await queue.submit(pointer)).toMatchObject({ success: true });
      proxy.set(mode);
      const failed = await queue.submit({ ...pointer, turnId: "turn-2" });
      expect(failed).toMatchObject({ error: { _tag: "MemoryConnectionError", retryable: true } });
      proxy.set("refuse");
      proxy.set("pass");
      await expect.poll(async () => (await queue.submit(pointer)).success, { timeout: 60_000 }).toBe(true);
      await queue.close();
      await proxy.stop();
    },
  );
});

describe.concurrent("a worker that loses its lock", () => {
  it("aborts the signal, and the pointer is delivered again", async ({ expect }) => {
    const { queue, prefix } = open();
    const signals: AbortSignal[] = [];
    const errors: unknown[] = [];
    queue.work({
      concurrency: 2,
      handle: async (_, signal) => {
        signals.push(signal);
        if (signals.length === 1) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
      onError: (error) => void errors.push(error),
    });
    await queue.submit(pointer);
    await expect.poll(() => signals.length).toBe(1);
    await client.del(`${prefix}:jaf-turns:${jobIdOf(pointer)}:lock`);
    await expect.poll(() => signals.length, { timeout: 60_000 }).toBe(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await queue.close();
    expect(JSON.stringify(errors)).not.toContain(jobIdOf(pointer));
  });
});
