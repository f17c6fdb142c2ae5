import { createInMemoryProvider, sanitizeConversation, type VersionedMemoryProvider } from "@jaf/memory";
import { isReplayable } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type ModelProvider, run, type ToolCallInfo } from "../../src/index.ts";
import { says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

/** What happens at the n-th await on the outside world. */
type Crash = "abort before" | "abort after" | "hang" | "fail before" | "fail after";

const CRASHES: readonly Crash[] = ["abort before", "abort after", "hang", "fail before", "fail after"];

/** Two replies with tools, then the final reply. They depend only on the history. */
const model: ModelProvider<unknown> = {
  getCompletion: async ({ messages }) => {
    const replies = messages.filter(({ role }) => role === "assistant").length;
    if (replies === 2) return { message: { content: "All done." } };
    const names = replies === 0 ? ["first", "second"] : ["third"];
    return {
      message: {
        content: "",
        tool_calls: names.map((name) => ({
          id: name,
          type: "function",
          function: { name: "work", arguments: "{}" },
        })),
      },
    };
  },
};

interface World {
  readonly inner: VersionedMemoryProvider;
  /** Every completed tool execution. */
  readonly finished: string[];
  /** The messages that the store has acknowledged, by text. */
  readonly acknowledged: string[];
}

/** Wraps every port, so the `at`-th external call, from 1, fails. */
function saboteur(at: number, crash: Crash, { inner, finished, acknowledged }: World) {
  const controller = new AbortController();
  let calls = 0;
  async function point<T>(action: () => Promise<T>): Promise<T> {
    calls += 1;
    if (calls !== at) {
      if (calls > at && crash.startsWith("fail")) throw new Error("the process is gone");
      return action();
    }
    if (crash === "hang") {
      queueMicrotask(() => controller.abort());
      return new Promise<never>(() => undefined);
    }
    if (crash === "abort before") controller.abort();
    if (crash === "fail before") throw new Error("crashed");
    const value = await action();
    if (crash === "abort after") controller.abort();
    if (crash === "fail after") throw new Error("crashed");
    return value;
  }
  async function unlessGone<T>(action: () => Promise<T>): Promise<T> {
    if (calls >= at && crash.startsWith("fail")) throw new Error("the process is gone");
    return action();
  }
  const provider: VersionedMemoryProvider = {
    ...inner,
    // Reads of the head come with heartbeats, so they don't count.
    readConversation: (id, options) =>
      (options?.messages === "none" ? unlessGone : point)(() => inner.readConversation(id, options)),
    appendMessages: async (...args) => {
      // Heartbeats depend on the time, so they don't count.
      const isSign = args[1].length === 0;
      const result = await (isSign ? unlessGone : point)(() => inner.appendMessages(...args));
      if (result.success) acknowledged.push(...args[1].map((message) => JSON.stringify(message)));
      return result;
    },
  };
  const modelProvider: ModelProvider<unknown> = {
    getCompletion: (...args) => point(() => model.getCompletion(...args)),
  };
  const execute = (call: ToolCallInfo | undefined) =>
    point(async () => {
      finished.push(call?.toolCallId ?? "");
      return `result of ${call?.toolCallId}`;
    });
  return { provider, modelProvider, execute, signal: controller.signal, calls: () => calls };
}

/** The lease of a crashed run expires soon, and the next run waits for that. */
const lease = { leaseMs: 30, concurrency: "queue" } as const;

async function attempt(world: World, state: ReturnType<typeof says>, at: number, crash: Crash) {
  const { provider, modelProvider, execute, signal, calls } = saboteur(at, crash, world);
  const work = createTool({
    name: "work",
    description: "",
    parameters: z.object({}),
    execute: (_args, _context, call) => execute(call),
  });
  const { config } = setup({
    model: modelProvider,
    tools: [work],
    config: {
      signal,
      memory: { provider, autoStore: true, durability: "step", ...lease },
      conversationId: "c",
    },
  });
  const { outcome } = await run(state, config);
  return { outcome, calls: calls() };
}

const newWorld = (): World => ({ inner: createInMemoryProvider(), finished: [], acknowledged: [] });

/** Runs to its end after the crash, like the next process. */
async function recover(world: World) {
  const begun = (await storedMessages(world.inner)).length > 0;
  return attempt(world, begun ? says() : says("Hi"), Number.POSITIVE_INFINITY, "hang");
}

/** A write that hangs isn't given up: only the process's end ends it. */
const isWrite = (at: number) => [2, 4, 7, 8, 10, 12, 14].includes(at);

describe("a run with durability step that crashes at any external call", async () => {
  const whole = newWorld();
  const { calls } = await attempt(whole, says("Hi"), Number.POSITIVE_INFINITY, "hang");

  it("makes as many calls as this test counts on", () => {
    // load, user | model, reply, 2 tools, 2 results | model, reply, tool, result | model, reply
    expect(calls).toBe(14);
  });

  const points = Array.from({ length: calls }, (_, index) => index + 1).flatMap((at) =>
    CRASHES.filter((crash) => crash !== "hang" || !isWrite(at)).map((crash) => [at, crash] as const),
  );

  it.each(points)("is finished by the next one: call %d, %s", async (at, crash) => {
    const world = newWorld();
    await attempt(world, says("Hi"), at, crash);
    await new Promise(setImmediate);
    const atCrash = await storedMessages(world.inner);
    const finishedBefore = [...world.finished];
    expect(isReplayable(sanitizeConversation(atCrash))).toBe(true);
    const durable = atCrash.map((message) => JSON.stringify(message));
    expect(durable).toEqual(expect.arrayContaining(world.acknowledged));

    const { outcome } = await recover(world);
    expect(outcome).toEqual({ status: "completed", output: "All done." });
    const stored = await storedMessages(world.inner);
    expect(stored.map((message) => JSON.stringify(message))).toEqual(expect.arrayContaining(durable));
    expect(stored.filter(({ role }) => role === "user")).toEqual([user("Hi")]);
    expect(sanitizeConversation(stored).map(({ content }) => content)).toEqual(
      sanitizeConversation(await storedMessages(whole.inner)).map(({ content }) => content),
    );
    for (const { tool_call_id: id } of atCrash) {
      if (id === undefined) continue;
      expect(world.finished.slice(finishedBefore.length)).not.toContain(id);
    }
  });
});
