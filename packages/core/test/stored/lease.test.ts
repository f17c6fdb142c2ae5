import { createInMemoryProvider, type MemoryProvider, type Message } from "@jaf/memory";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createTool, type MemoryConfig, type RunConfig, run } from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { assistant, calling, deferred, errorOf, says, setup, user } from "../support/setup.ts";
import { recordWrites, seed, storedMessages, tenMethods } from "../support/stores.ts";

const conflict = (reason: string) => ({
  _tag: "MemoryError",
  error: { _tag: "MemoryConflictError", reason },
});

afterEach(() => void vi.useRealTimers());

function runner(provider: MemoryProvider, memory: Partial<MemoryConfig>) {
  return (
    steps: readonly ScriptedStep<unknown>[],
    messages: readonly string[],
    config: Partial<RunConfig<unknown>> = {},
  ) =>
    run(
      says(...messages),
      setup({
        model: steps,
        config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c", ...config },
      }).config,
    );
}

/** A model that answers when the test lets it. */
function slowReply(text: string) {
  const asked = deferred();
  const answer = deferred();
  const step: ScriptedStep<unknown> = async () => {
    asked.resolve();
    await answer.promise;
    return text;
  };
  return { asked: asked.promise, answer: answer.resolve, step };
}

describe("a run while another holds the lease of the conversation", () => {
  it.each(["turn", "step"] as const)(
    "is refused before its model is called, durability %s",
    async (durability) => {
      const provider = createInMemoryProvider();
      const start = runner(provider, { durability });
      const slow = slowReply("one");
      const first = start([slow.step], ["1"]);
      await slow.asked;
      const second = await start([], ["2"]);
      expect(errorOf(second)).toMatchObject(conflict("lease"));
      slow.answer();
      expect((await first).outcome.status).toBe("completed");
      expect(await storedMessages(provider)).toEqual([user("1"), assistant("one")]);
      expect((await start(["two"], ["2"])).outcome.status).toBe("completed");
    },
  );

  it.each([
    ["version", [user("0"), assistant("zero")]],
    // The other's turn has begun a conversation where this run saw none.
    ["incarnation", []],
  ])(
    "is refused when it comes to store, if the other was faster, durability completed: %s",
    async (reason, before) => {
      const provider = createInMemoryProvider();
      if (before.length > 0) await seed(provider, before);
      const start = runner(provider, {});
      const slow = slowReply("one");
      const first = start([slow.step], ["1"]);
      await slow.asked;
      await start(["two"], ["2"]);
      slow.answer();
      expect(errorOf(await first)).toMatchObject(conflict(reason));
      expect(await storedMessages(provider)).toEqual([...before, user("2"), assistant("two")]);
    },
  );

  it.each(["completed", "turn", "step"] as const)("waits if it queues, durability %s", async (durability) => {
    const provider = createInMemoryProvider();
    const start = runner(provider, { durability, concurrency: "queue" });
    const slow = slowReply("one");
    const first = start([slow.step], ["1"]);
    await slow.asked;
    const seen: unknown[] = [];
    const rest = Array.from({ length: 10 }, (_, index) =>
      start(
        [
          ({ state }) => {
            seen.push(state.messages.length);
            return `reply ${index + 2}`;
          },
        ],
        [String(index + 2)],
      ),
    );
    slow.answer();
    const ended = await Promise.all([first, ...rest]);
    expect(ended.map(({ outcome }) => outcome.status)).toEqual(Array(11).fill("completed"));
    const expected: Message[] = [user("1"), assistant("one")];
    for (let index = 2; index <= 11; index++) expected.push(user(String(index)), assistant(`reply ${index}`));
    expect(await storedMessages(provider)).toEqual(expected);
    expect(seen).toEqual([3, 5, 7, 9, 11, 13, 15, 17, 19, 21]);
  });

  it.each(["completed", "turn", "step"] as const)(
    "waits if processes begin a conversation at the same time, durability %s",
    async (durability) => {
      const provider = createInMemoryProvider();
      const ended = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          // A separate provider object, so these share only the store.
          runner({ ...provider }, { durability, concurrency: "queue" })([`reply ${index}`], [`${index}`]),
        ),
      );
      expect(ended.map(({ outcome }) => outcome.status)).toEqual(Array(6).fill("completed"));
      const stored = await storedMessages(provider);
      expect(stored).toHaveLength(12);
      for (let at = 0; at < 12; at += 2) expect(stored[at + 1]?.content).toBe(`reply ${stored[at]?.content}`);
    },
  );

  it.each(["completed", "turn", "step"] as const)(
    "is kept out, and waits, also by a provider with the ten methods alone, durability %s",
    async (durability) => {
      const provider = tenMethods(createInMemoryProvider());
      const start = runner(provider, { durability, concurrency: "queue" });
      const slow = slowReply("one");
      const first = start([slow.step], ["1"]);
      await slow.asked;
      const second = runner({ ...provider }, { durability, concurrency: "queue" })(["two"], ["2"]);
      expect(errorOf(await runner({ ...provider }, { durability: "turn" })([], ["3"]))).toMatchObject(
        conflict("lease"),
      );
      slow.answer();
      expect((await first).outcome.status).toBe("completed");
      expect((await second).outcome.status).toBe("completed");
      expect(await storedMessages(provider)).toEqual([
        user("1"),
        assistant("one"),
        user("2"),
        assistant("two"),
      ]);
    },
  );

  it("waits no longer than queueTimeoutMs", async () => {
    const provider = createInMemoryProvider();
    const slow = slowReply("one");
    const first = runner(provider, { durability: "turn" })([slow.step], ["1"]);
    await slow.asked;
    const start = runner(provider, { durability: "turn", concurrency: "queue", queueTimeoutMs: 30 });
    expect(errorOf(await start([], ["2"]))).toMatchObject(conflict("lease"));
    slow.answer();
    await first;
    expect((await start(["two"], ["2"])).outcome.status).toBe("completed");
  });

  it("leaves the queue when it is aborted, and lets the next one in", async () => {
    const provider = createInMemoryProvider();
    const start = runner(provider, { durability: "turn", concurrency: "queue" });
    const slow = slowReply("one");
    const first = start([slow.step], ["1"]);
    await slow.asked;
    const controller = new AbortController();
    const second = start([], ["2"], { signal: controller.signal });
    const third = start(["three"], ["3"]);
    controller.abort(new Error("enough"));
    expect(errorOf(await second)).toEqual({ _tag: "RunAborted", reason: "enough" });
    slow.answer();
    await first;
    expect((await third).outcome.status).toBe("completed");
  });
});

describe("a lease that was held", () => {
  const steps = ["-"] as const;

  it("is released when its run has failed: the next doesn't wait", async () => {
    const provider = createInMemoryProvider();
    const start = runner(provider, { durability: "turn", leaseMs: 60_000 });
    expect(errorOf(await start([new Error("gone")], ["1"]))._tag).toBe("ModelCallError");
    expect((await start(["one"], ["1"])).outcome.status).toBe("completed");
  });

  it("is released when its run is aborted", async () => {
    const provider = createInMemoryProvider();
    const start = runner(provider, { durability: "turn", leaseMs: 60_000 });
    const controller = new AbortController();
    const slow = slowReply("one");
    const first = start([slow.step], ["1"], { signal: controller.signal });
    await slow.asked;
    controller.abort();
    await first;
    expect((await start(["one"], ["1"])).outcome.status).toBe("completed");
  });

  it("expires after its process crashed, and no sooner", async () => {
    const provider = createInMemoryProvider();
    const gone: MemoryProvider = { ...provider };
    const slow = slowReply("never");
    let alive = true;
    const dying: MemoryProvider = {
      ...provider,
      appendMessages: (...args) => (alive ? provider.appendMessages(...args) : new Promise(() => {})),
    };
    const began = performance.now();
    void runner(dying, { durability: "turn", leaseMs: 300 })([slow.step], ["1"]);
    await slow.asked;
    alive = false;
    const start = runner(gone, { durability: "turn", concurrency: "queue", leaseMs: 300 });
    const next = await start(["one"], ["1"]);
    expect(next.outcome.status).toBe("completed");
    // A timer may fire a millisecond early.
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(await storedMessages(provider)).toEqual([user("1"), assistant("one")]);
  });

  it("is kept by a running run, however long it takes", async () => {
    // Time stands still while a busy machine does other things, so that no lease ends for that.
    vi.useFakeTimers();
    const provider = createInMemoryProvider();
    const { provider: recorded, writes } = recordWrites(provider);
    const slow = slowReply("one");
    const first = runner(recorded, { durability: "turn", leaseMs: 60 })([slow.step], ["1"]);
    await slow.asked;
    await vi.advanceTimersByTimeAsync(600);
    expect(writes.length).toBeGreaterThan(5);
    expect(errorOf(await runner(provider, { durability: "turn" })([...steps], ["2"]))).toMatchObject(
      conflict("lease"),
    );
    slow.answer();
    expect((await first).outcome.status).toBe("completed");
    const count = writes.length;
    await vi.advanceTimersByTimeAsync(600);
    expect(writes).toHaveLength(count);
  });

  it("is lost by a run that seemed dead: it stores nothing more", async () => {
    const provider = createInMemoryProvider();
    const slow = slowReply("one");
    const mute: MemoryProvider = {
      ...provider,
      // Its heartbeats fail.
      appendMessages: (...args) =>
        args[1].length === 0 ? new Promise(() => {}) : provider.appendMessages(...args),
    };
    const first = runner(mute, { durability: "turn", leaseMs: 20 })([slow.step], ["1"]);
    await slow.asked;
    const second = runner(provider, { durability: "turn", concurrency: "queue" });
    expect((await second(["two"], ["2"])).outcome.status).toBe("completed");
    slow.answer();
    void first;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await storedMessages(provider)).toEqual([user("1"), user("2"), assistant("two")]);
  });

  it("of a run that left calls open is resumed by one of many runs, and no call runs twice", async () => {
    const provider = createInMemoryProvider();
    await seed(provider, [user("1"), calling(["a", "work"], ["b", "work"])]);
    const ran: string[] = [];
    const work = createTool({
      name: "work",
      description: "",
      parameters: z.object({}),
      execute: async (_args, _context, call) => {
        ran.push(call?.toolCallId ?? "");
        await new Promise(setImmediate);
        return "ok";
      },
    });
    const resume = () =>
      run(
        says(),
        setup({
          model: ["Done."],
          tools: [work],
          config: { memory: { provider, autoStore: true, durability: "step" }, conversationId: "c" },
        }).config,
      );
    const ended = await Promise.all(Array.from({ length: 8 }, resume));
    expect(ran.toSorted()).toEqual(["a", "b"]);
    expect(ended.filter(({ outcome }) => outcome.status === "completed").length).toBe(1);
    for (const result of ended)
      if (result.outcome.status !== "completed") expect(errorOf(result)).toMatchObject(conflict("lease"));
    expect(await storedMessages(provider)).toHaveLength(5);
  });
});

describe("memory.concurrency", () => {
  it.each([
    [{ concurrency: "wait" as never }, "RunConfig.memory.concurrency"],
    [{ queueTimeoutMs: 0 }, "RunConfig.memory.queueTimeoutMs"],
    [{ leaseMs: Number.NaN }, "RunConfig.memory.leaseMs"],
  ])("is checked before the run: %j", async (memory, path) => {
    const ended = await runner(createInMemoryProvider(), memory)([], ["1"]);
    expect(errorOf(ended)).toMatchObject({ error: { issues: [{ path }] } });
  });
});
