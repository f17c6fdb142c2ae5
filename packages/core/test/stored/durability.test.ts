import { createInMemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type MemoryConfig, run } from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { calling, deferred, errorOf, result, says, setup, user } from "../support/setup.ts";
import { failAppends, recordWrites, storedMessages } from "../support/stores.ts";

const turn: readonly ScriptedStep<unknown>[] = [{ toolCalls: [{ name: "echo" }, { name: "echo" }] }, "Done."];
const failing: readonly ScriptedStep<unknown>[] = [
  { toolCalls: [{ name: "echo" }] },
  new Error("the model is gone"),
];

function durable(steps: readonly ScriptedStep<unknown>[], memory: Partial<MemoryConfig>) {
  const inner = createInMemoryProvider();
  const { provider, writes } = recordWrites(inner);
  const executed: string[] = [];
  const echo = createTool({
    name: "echo",
    description: "",
    parameters: z.object({}),
    execute: (_args, _context, call) => {
      executed.push(call?.toolCallId ?? "");
      return "echoed";
    },
  });
  const { config } = setup({
    model: createScriptedModel(steps),
    tools: [echo],
    config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c" },
  });
  const batches = () => writes.map(({ messages }) => messages.map(({ role }) => role));
  return { config, inner, writes, batches, executed };
}

describe("durability completed, the default", () => {
  it.each([{}, { durability: "completed" }, { storeOnCompletion: true }] as const)(
    "stores everything in one write after success: %j",
    async (memory) => {
      const { config, batches } = durable(turn, memory);
      await run(says("Hi"), config);
      expect(batches()).toEqual([["user", "assistant", "tool", "tool", "assistant"]]);
    },
  );

  it("stores nothing of a failed run", async () => {
    const { config, batches } = durable(failing, {});
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("ModelCallError");
    expect(batches()).toEqual([]);
  });
});

describe("durability turn", () => {
  it("stores the user's message before the model is called, and the rest after success", async () => {
    const { config, batches, inner } = durable([async () => JSON.stringify(await storedMessages(inner))], {
      durability: "turn",
    });
    const { outcome } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: JSON.stringify([user("Hi")]) });
    expect(batches()).toEqual([["user"], ["assistant"]]);
  });

  it("keeps the user's message of a failed run, and only that", async () => {
    const { config, inner } = durable(failing, { durability: "turn" });
    await run(says("Hi"), config);
    expect(await storedMessages(inner)).toEqual([user("Hi")]);
  });

  it("stores the steps in call order in the last write", async () => {
    const { config, batches } = durable(turn, { durability: "turn" });
    await run(says("Hi"), config);
    expect(batches()).toEqual([["user"], ["assistant", "tool", "tool", "assistant"]]);
  });
});

describe("durability step", () => {
  it.each([{ durability: "step" }, { storeOnCompletion: false }] as const)(
    "stores each step when it is done: %j",
    async (memory) => {
      const { config, batches } = durable(turn, memory);
      await run(says("Hi"), config);
      expect(batches()).toEqual([["user"], ["assistant"], ["tool"], ["tool"], ["assistant"]]);
    },
  );

  it("is overridden by an explicit durability", async () => {
    const { config, batches } = durable(turn, { storeOnCompletion: false, durability: "completed" });
    await run(says("Hi"), config);
    expect(batches()).toHaveLength(1);
  });

  it("keeps the finished steps of a failed run", async () => {
    const { config, inner } = durable(failing, { durability: "step" });
    await run(says("Hi"), config);
    expect(await storedMessages(inner)).toEqual([
      user("Hi"),
      calling(["call_1", "echo"]),
      result("call_1", "echoed"),
    ]);
  });

  it("runs no tool if its call couldn't be stored", async () => {
    const { config, inner, executed } = durable(turn, { durability: "step" });
    const provider = failAppends(inner, 2);
    const ended = await run(says("Hi"), {
      ...config,
      memory: { provider, autoStore: true, durability: "step" },
    });
    expect(errorOf(ended)._tag).toBe("MemoryError");
    expect(executed).toEqual([]);
  });

  it("starts no further tool once a result couldn't be stored", async () => {
    const { config, inner, executed } = durable(turn, { durability: "step" });
    const provider = failAppends(inner, 3);
    const ended = await run(says("Hi"), {
      ...config,
      maxParallelTools: 1,
      memory: { provider, autoStore: true, durability: "step" },
    });
    expect(errorOf(ended)._tag).toBe("MemoryError");
    expect(executed).toEqual(["call_1"]);
  });

  it("doesn't call the model when the user's message couldn't be stored", async () => {
    const { config, inner } = durable([], { durability: "step" });
    const provider = failAppends(inner, 1);
    const ended = await run(says("Hi"), {
      ...config,
      memory: { provider, autoStore: true, durability: "step" },
    });
    expect(errorOf(ended)._tag).toBe("MemoryError");
  });

  it("stores results as they come, one write at a time, but sends them in call order", async () => {
    const inner = createInMemoryProvider();
    let writing = 0;
    const overlaps: number[] = [];
    const provider: typeof inner = {
      ...inner,
      appendMessages: async (...args) => {
        overlaps.push(++writing);
        await new Promise(setImmediate);
        const written = await inner.appendMessages(...args);
        writing -= 1;
        return written;
      },
    };
    const slow = deferred();
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({ slow: z.boolean() }),
      execute: async (args) => {
        if (args.slow) await slow.promise;
        else setImmediate(slow.resolve);
        return args.slow ? "slow" : "fast";
      },
    });
    const model = createScriptedModel([
      { toolCalls: [true, false, false].map((isSlow) => ({ name: "tool", arguments: { slow: isSlow } })) },
      "Done.",
    ]);
    const memory: MemoryConfig = { provider, autoStore: true, durability: "step" };
    const { config } = setup({ model, tools: [tool], config: { memory, conversationId: "c" } });
    const { finalState } = await run(says("Hi"), config);
    const contents = (messages: readonly Message[]) =>
      messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(contents(await storedMessages(inner))).toEqual(["fast", "fast", "slow"]);
    expect(contents(model.requests[1]?.state.messages ?? [])).toEqual(["slow", "fast", "fast"]);
    expect(Math.max(...overlaps)).toBe(1);

    const next = createScriptedModel(["Again."]);
    await run(
      { ...finalState, messages: [...finalState.messages, user("2")] },
      { ...config, modelProvider: next },
    );
    expect(contents(next.requests[0]?.state.messages ?? [])).toEqual(["slow", "fast", "fast"]);
    expect((await storedMessages(inner)).filter(({ content }) => content === "Hi")).toHaveLength(1);
  });
});
