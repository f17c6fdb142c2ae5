import { createInMemoryProvider, createSuccess, type MemoryProvider } from "@jaf/memory";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createTool, type MemoryConfig, type RunConfig, run } from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { converse, stored, storing, talk } from "../support/conversations.ts";
import { looking } from "../support/interrupted.ts";
import { deferred, errorOf, says, setup, user } from "../support/setup.ts";
import { seed, tenMethods } from "../support/stores.ts";

const HOUR_MS = 3_600_000;
const clocks = [
  ["an hour ahead", HOUR_MS],
  ["ten years ahead", 87_660 * HOUR_MS],
  ["an hour behind", -HOUR_MS],
] as const;

/** The real time plus `aheadMs`, independent of this process's clock. */
const realTime = (aheadMs = 0): number => performance.timeOrigin + performance.now() + aheadMs;

/** Sets this process's clock. Timers and the monotonic clock don't change. */
const setClock = (aheadMs: number): void =>
  void vi.useFakeTimers({ toFake: ["Date"], now: realTime(aheadMs) });

/** Lets time pass only by hand. Otherwise a lease could expire because the machine is busy. */
function stopTime(aheadMs = 0): void {
  const timers = ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;
  vi.useFakeTimers({ toFake: [...timers, "Date", "performance"], now: realTime(aheadMs) });
}
afterEach(() => void vi.useRealTimers());

/** A server's own clock. */
function withOwnClock(inner: ReturnType<typeof createInMemoryProvider>, aheadMs = () => 0) {
  const provider: ReturnType<typeof createInMemoryProvider> = {
    ...inner,
    readConversation: async (...args) => {
      const read = await inner.readConversation(...args);
      return read.success ? createSuccess({ ...read.data, readAt: new Date(realTime(aheadMs())) }) : read;
    },
  };
  return provider;
}

interface Start {
  readonly provider: MemoryProvider;
  readonly memory?: Partial<MemoryConfig>;
  readonly steps: readonly ScriptedStep<unknown>[];
  readonly said?: readonly string[];
  readonly config?: Partial<RunConfig<unknown>>;
  readonly tools?: NonNullable<Parameters<typeof setup>[0]["tools"]>;
}

function start({ provider, memory = {}, steps, said = ["Hi"], config = {}, tools = [] }: Start) {
  const { config: runConfig } = setup({
    model: steps,
    tools,
    config: {
      memory: { provider, autoStore: true, durability: "turn", ...memory },
      conversationId: "c",
      ...config,
    },
  });
  return run(says(...said), runConfig);
}

/** A model that answers when the test lets it. */
function slowReply() {
  const [asked, answer] = [deferred(), deferred()];
  const step: ScriptedStep<unknown> = async () => {
    asked.resolve();
    await answer.promise;
    return "late";
  };
  return { asked: asked.promise, answer: answer.resolve, step };
}

/** A process that begins its turn and then writes nothing. */
async function dieInTurn(provider: MemoryProvider, memory: Partial<MemoryConfig>): Promise<void> {
  let alive = true;
  const mortal: MemoryProvider = {
    ...provider,
    appendMessages: (...args) => (alive ? provider.appendMessages(...args) : new Promise(() => {})),
  };
  const slow = slowReply();
  void start({ provider: mortal, memory, steps: [slow.step] });
  await slow.asked;
  alive = false;
}

const leaseConflict = { _tag: "MemoryError", error: { _tag: "MemoryConflictError", reason: "lease" } };

describe.each(clocks)("a process with a clock that is %s", (_, aheadMs) => {
  it("loses its lease when that has expired, and not before", async () => {
    const provider = withOwnClock(createInMemoryProvider());
    stopTime(aheadMs);
    await dieInTurn(provider, { leaseMs: 250 });
    vi.setSystemTime(realTime());
    expect(errorOf(await start({ provider, steps: ["one"] }))).toMatchObject(leaseConflict);
    const memory = { concurrency: "queue", queueTimeoutMs: 5_000 } as const;
    const next = start({ provider, memory, steps: ["one"] });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await next).outcome.status).toBe("completed");
  });

  it("keeps its lease as long as it runs", async () => {
    const provider = withOwnClock(createInMemoryProvider());
    stopTime(aheadMs);
    const slow = slowReply();
    const first = start({ provider, memory: { leaseMs: 2_000 }, steps: [slow.step] });
    await slow.asked;
    await vi.advanceTimersByTimeAsync(2_300);
    vi.setSystemTime(realTime());
    expect(errorOf(await start({ provider, steps: [] }))).toMatchObject(leaseConflict);
    slow.answer();
    expect((await first).outcome.status).toBe("completed");
  });

  it("finds a lease that another run holds", async () => {
    const provider = withOwnClock(createInMemoryProvider());
    await dieInTurn(provider, { leaseMs: 2_000 });
    setClock(aheadMs);
    expect(errorOf(await start({ provider, steps: [] }))).toMatchObject(leaseConflict);
  });

  it("writes the pause after a failed summary in the store's time", async () => {
    const provider = withOwnClock(await storing(talk(5)));
    setClock(aheadMs);
    const summarize = () => Promise.reject(new Error("no"));
    await converse({ provider, memory: { compressionThreshold: 4, summary: { summarize } } });
    const retryAt = async () => (await stored(provider)).metadata?.["jafSummaryPause"]?.retryAt;
    await expect.poll(retryAt).toBeGreaterThan(realTime());
    expect(await retryAt()).toBeLessThanOrEqual(realTime(10_000));
  });

  it("sets the expiry of approvals in the store's time", async () => {
    const provider = withOwnClock(createInMemoryProvider());
    const look = createTool({
      name: "look",
      description: "",
      parameters: z.object({}),
      needsApproval: true,
      execute: async () => "done",
    });
    setClock(aheadMs);
    const waiting = await start({
      ...{ provider, tools: [look], config: { approvalTtlMs: 60_000 } },
      steps: [{ toolCalls: [looking] }],
    });
    const { outcome } = waiting;
    if (outcome.status !== "interrupted") return expect.fail("expected an interruption");
    const [asked] = outcome.interruptions;
    if (asked?.type !== "approval") return expect.fail("expected an approval");
    expect(Math.abs((asked.expiresAt?.getTime() ?? 0) - realTime(60_000))).toBeLessThan(10_000);
  });
});

describe("a lease", () => {
  const leaseUntil = (until: number, leaseMs?: number) => ({
    jaf: { runId: "r", agentName: "helper", lease: { id: "other", sign: 1, until, leaseMs } },
  });

  it.each([
    ["an hour ahead", HOUR_MS, undefined],
    ["an hour ahead with a lease of seconds", HOUR_MS, 15_000],
    ["ten years ahead with a lease of ten years", 87_660 * HOUR_MS, 87_660 * HOUR_MS],
  ])("is ignored if the store's clock can't have made it: %s", async (_, aheadMs, leaseMs) => {
    const provider = createInMemoryProvider();
    await seed(provider, [user("0")], leaseUntil(Date.now() + aheadMs, leaseMs));
    expect((await start({ provider, steps: ["one"] })).outcome.status).toBe("completed");
  });

  it.each([
    ["seconds, with a lease that is longer than this run's own", 50_000, 60_000],
    ["seconds, as an older version wrote it", 10_000, undefined],
  ])("that lasts for %s more is kept to", async (_, aheadMs, leaseMs) => {
    const provider = createInMemoryProvider();
    await seed(provider, [user("0")], leaseUntil(Date.now() + aheadMs, leaseMs));
    expect(errorOf(await start({ provider, steps: [] }))).toMatchObject(leaseConflict);
  });

  it("uses this process's clock if the provider reports no time", async () => {
    const inner = createInMemoryProvider();
    const provider = tenMethods(inner);
    stopTime();
    await dieInTurn(provider, { leaseMs: 200 });
    expect(errorOf(await start({ provider, steps: [] }))).toMatchObject(leaseConflict);
    const memory = { concurrency: "queue", queueTimeoutMs: 5_000 } as const;
    const next = start({ provider, memory, steps: ["one"] });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await next).outcome.status).toBe("completed");
  });

  it("is never further ahead of the store than its length, however long the reading takes", async () => {
    const inner = withOwnClock(createInMemoryProvider());
    const slow: MemoryProvider & Partial<typeof inner> = {
      ...inner,
      readConversation: async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, 40));
        const read = await inner.readConversation(...args);
        await new Promise((resolve) => setTimeout(resolve, 40));
        return read;
      },
    };
    await dieInTurn(slow, { leaseMs: 20_000 });
    const written = realTime();
    const until = Number(Object((await stored(inner)).metadata?.["jaf"]).lease?.until);
    expect(until - written).toBeLessThanOrEqual(20_000);
    expect(until - written).toBeGreaterThan(15_000);
  });
});
