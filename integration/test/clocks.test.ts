import { setTimeout as sleep } from "node:timers/promises";
import { createRunState, type MemoryConfig, type RunConfig, run } from "@jaf/core";
import { createScriptedModel, type ScriptedStep } from "@jaf/core/testing";
import type { MemoryProvider } from "@jaf/memory";
import { readFrom } from "@jaf/memory/internal";
import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import type { ExtractionJob, UserMemoryStore } from "@jaf/user-memory";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { type Backend, openPostgres, openRedis } from "./support/crash/backends.ts";

const HOUR_MS = 3_600_000;
/** Longer than a busy machine pauses a process. */
const LEASE_MS = 1_000;
const clocks = [
  ["an hour ahead", HOUR_MS],
  ["ten years ahead", 87_660 * HOUR_MS],
  ["an hour behind", -HOUR_MS],
] as const;

/** Sets this process's clock. Timers, the monotonic clock and the servers are unchanged. */
const setClock = (aheadMs: number): void =>
  void vi.useFakeTimers({ toFake: ["Date"], now: performance.timeOrigin + performance.now() + aheadMs });

afterEach(() => void vi.useRealTimers());

interface Start {
  readonly provider: MemoryProvider;
  readonly conversationId: string;
  readonly steps: readonly ScriptedStep<unknown>[];
  readonly memory?: Partial<MemoryConfig>;
}

function start({ provider, conversationId, steps, memory = {} }: Start) {
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([["helper", { name: "helper", instructions: () => "" }]]),
    modelProvider: createScriptedModel(steps),
    memory: { provider, autoStore: true, durability: "turn", leaseMs: LEASE_MS, ...memory },
    conversationId,
  };
  const messages = [{ role: "user", content: "Hi" }] as const;
  return run(createRunState<unknown>({ agentName: "helper", context: {}, messages }), config);
}

function gate<T>() {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** A process that begins its turn with a wrong clock until it is corrected. It writes nothing after `die` was called. */
async function beginTurn(provider: MemoryProvider, conversationId: string, aheadMs: number) {
  const [asked, answered] = [gate<void>(), gate<string>()];
  let alive = true;
  const mortal: MemoryProvider = {
    ...provider,
    appendMessages: (...args) => (alive ? provider.appendMessages(...args) : new Promise(() => {})),
  };
  const step: ScriptedStep<unknown> = () => {
    asked.open();
    return answered.opened;
  };
  setClock(aheadMs);
  const ended = start({ provider: mortal, conversationId, steps: [step] });
  await asked.opened;
  return {
    die: () => {
      alive = false;
    },
    answer: () => {
      answered.open("late");
      return ended;
    },
  };
}

const conflict = { error: { error: { _tag: "MemoryConflictError", reason: "lease" } } };

describe.each([
  ["Redis", openRedis],
  ["Postgres", openPostgres],
] as const)("turns on %s", (_, open) => {
  let backend: Backend;
  let provider: MemoryProvider;
  beforeAll(async () => {
    backend = await open();
    provider = await backend.connect();
  });
  afterAll(() => backend.close());

  it.each(clocks)(
    "are left after their lease by a process that dies with its clock %s",
    async (clock, aheadMs) => {
      const conversationId = `dies ${clock}`;
      const other = await backend.connect();
      const first = await beginTurn(provider, conversationId, aheadMs);
      first.die();
      vi.useRealTimers();
      expect((await start({ provider: other, conversationId, steps: [] })).outcome).toMatchObject(conflict);
      const next = await start({
        ...{ provider: other, conversationId, steps: ["Done."] },
        memory: { concurrency: "queue", queueTimeoutMs: 20_000 },
      });
      expect(next.outcome).toEqual({ status: "completed", output: "Done." });
    },
  );

  it.each(clocks)("are kept by a process that lives with its clock %s", async (clock, aheadMs) => {
    const conversationId = `lives ${clock}`;
    const other = await backend.connect();
    const first = await beginTurn(provider, conversationId, aheadMs);
    // A lease has three heartbeats. The clock is corrected between two of them.
    await sleep(1.5 * LEASE_MS);
    vi.useRealTimers();
    expect((await start({ provider: other, conversationId, steps: [] })).outcome).toMatchObject(conflict);
    expect((await first.answer()).outcome).toEqual({ status: "completed", output: "late" });
  });
});

describe.each([
  ["Redis", openRedis],
  ["Postgres", openPostgres],
] as const)("summaries on %s", (_, open) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await open();
  });
  afterAll(() => backend.close());

  async function retryMs(provider: MemoryProvider, conversationId: string): Promise<number> {
    const read = await readFrom(provider, conversationId, { messages: "none" });
    if (!read.success || read.data.readAt === undefined)
      return expect.fail("expected a reading with its time");
    const pause = Object(read.data.conversation?.metadata?.["jafSummaryPause"]);
    return Number(pause.retryAt) - Number(read.data.readAt);
  }

  it.each(clocks)(
    "that failed are put off in the store's time by a process with its clock %s",
    async (clock, aheadMs) => {
      const conversationId = `summary, ${clock}`;
      const provider = await backend.connect();
      const messages = ["1", "2", "3", "4"].map((content) => ({ role: "user", content }) as const);
      await provider.appendMessages(conversationId, messages, {}, { createIfMissing: "unowned" });
      const summarize = () => Promise.reject(new Error("it can't be made"));
      setClock(aheadMs);
      const memory = { compressionThreshold: 2, summary: { summarize } };
      await start({ provider, conversationId, steps: ["Done."], memory });
      vi.useRealTimers();
      await expect.poll(() => retryMs(provider, conversationId)).toBeGreaterThan(5_000);
      expect(await retryMs(provider, conversationId)).toBeLessThanOrEqual(10_000);
    },
  );
});

interface Queue {
  readonly memory: UserMemoryStore;
  readonly close: () => Promise<unknown>;
}

async function openRedisQueue(): Promise<Queue> {
  const client = await createClient({ url: inject("redisUrl") }).connect();
  const memory = await createRedisUserMemory({ keyPrefix: `test:${crypto.randomUUID()}:` }, client);
  return { memory, close: () => client.close() };
}

async function openPostgresQueue(): Promise<Queue> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const memory = await createPostgresUserMemory({ schema }, client);
  return {
    memory,
    close: async () => {
      await client.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
}

describe.each([
  ["Redis", openRedisQueue],
  ["Postgres", openPostgresQueue],
] as const)("jobs on %s", (_, open) => {
  let queue: Queue;
  beforeAll(async () => {
    queue = await open();
  });
  afterAll(() => queue.close());

  async function enqueue(memory: UserMemoryStore, userId: string, leaseMs: number) {
    const since = await memory.mark(userId);
    const job: ExtractionJob = {
      ...{ id: userId, userId, said: ["I like tea"], reply: "Noted.", saidAt: new Date(), tags: [] },
      ...{ threshold: 0.7, since },
    };
    return memory.queue.enqueue(job, { leaseMs });
  }
  const leased = async () => {
    const jobs = await queue.memory.queue.lease({ limit: 10, leaseMs: HOUR_MS });
    return jobs.map(({ job }) => job.userId);
  };

  it.each(clocks)(
    "are handed out after their lease by a process with its clock %s",
    async (clock, aheadMs) => {
      const { memory } = queue;
      setClock(aheadMs);
      await enqueue(memory, `short, ${clock}`, LEASE_MS);
      await enqueue(memory, `long, ${clock}`, HOUR_MS);
      const postponed = await enqueue(memory, `postponed, ${clock}`, 0);
      await postponed?.release(HOUR_MS);
      expect(await leased()).toEqual([]);
      vi.useRealTimers();
      await expect.poll(leased).toEqual([`short, ${clock}`]);
    },
  );

  it.each(clocks)(
    "that others have are left to them by a process with its clock %s",
    async (clock, aheadMs) => {
      await enqueue(queue.memory, `others, ${clock}`, HOUR_MS);
      setClock(aheadMs);
      expect(await leased()).toEqual([]);
    },
  );
});
