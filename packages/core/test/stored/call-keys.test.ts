import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run } from "../../src/index.ts";
import { countCalls, createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { resumed, unfinished } from "../support/resumed.ts";
import { calling, deferred, errorOf, result, says, setup, user } from "../support/setup.ts";
import { failAppends, seed, storedMessages } from "../support/stores.ts";

describe("the idempotency key of a call", () => {
  it("is the same in resumed runs after a crash, but different for a later call with the same id", async () => {
    const inner = createInMemoryProvider();
    const keys: string[] = [];
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({}),
      execute: (_args, _context, call) => {
        keys.push(call?.idempotencyKey ?? "");
        return "ok";
      },
    });
    const call = {
      toolCalls: [
        { name: "tool", id: "same" },
        { name: "tool", id: "other" },
      ],
    };
    const attempt = (
      state: ReturnType<typeof says>,
      steps: readonly ScriptedStep<unknown>[],
      failFrom: number,
    ) => {
      const provider = failAppends(inner, failFrom);
      // The lease of a crashed run expires soon, and the next run waits for that.
      const lease = { leaseMs: 5, concurrency: "queue" } as const;
      const memory = { provider, autoStore: true, durability: "step", ...lease } as const;
      const { config } = setup({
        model: steps,
        tools: [tool],
        config: { memory, conversationId: "c", maxParallelTools: 1 },
      });
      return run(state, config);
    };
    // The first crash: the tool ran, and its result couldn't be stored. Then once more in the resumed run.
    expect(errorOf(await attempt(says("Hi"), [call], 3))._tag).toBe("MemoryError");
    expect(errorOf(await attempt(says(), [], 1))._tag).toBe("MemoryError");
    // Then the first result is stored and the second isn't.
    expect(errorOf(await attempt(says(), [], 2))._tag).toBe("MemoryError");
    await attempt(says(), [call, "Done."], 99);
    const [first, again, third, otherCrashed, otherAgain, ...later] = keys;
    expect([again, third]).toEqual([first, first]);
    expect(otherAgain).toBe(otherCrashed);
    expect(new Set([first, otherCrashed, ...later]).size).toBe(4);
  });

  it("is stable for calls that another program stored", async () => {
    const first = await resumed({ history: unfinished });
    const second = await resumed({ history: unfinished });
    expect(first.keys).toEqual(second.keys);
    expect(new Set(first.keys).size).toBe(2);
  });

  it("differs if another program stores the same call id in a later turn", async () => {
    const steps = [{ toolCalls: [{ name: "tool", id: "a" }] }, "Done."];
    const { inner, keys, config } = await resumed({ history: [user("Hi")], steps });
    await seed(inner, [user("More"), calling(["a", "tool"])]);
    await run(says(), { ...config, modelProvider: createScriptedModel(["Done."]) });
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });
});

describe("a result that comes after the abort of its run", () => {
  async function abortedInMidTool() {
    const inner = createInMemoryProvider();
    const late = deferred<string>();
    const started = deferred();
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({}),
      execute: () => {
        started.resolve();
        return late.promise;
      },
    });
    const provider = countCalls(inner);
    const memory = { provider, autoStore: true, durability: "step" } as const;
    const steps = [{ toolCalls: [{ name: "tool", id: "same" }] }];
    const { config } = setup({ model: steps, tools: [tool], config: { memory, conversationId: "c" } });
    const controller = new AbortController();
    const running = run(says("Hi"), { ...config, signal: controller.signal });
    await started.promise;
    controller.abort();
    await running;
    return { inner, late, provider };
  }

  it("is stored if there are no new messages since", async () => {
    const { inner, late } = await abortedInMidTool();
    late.resolve("late");
    await expect
      .poll(() => storedMessages(inner))
      .toEqual([user("Hi"), calling(["same", "tool"]), result("same", "late")]);
  });

  it("never comes between the messages of a later turn or changes its metadata", async () => {
    const { inner, late, provider } = await abortedInMidTool();
    const after = { jaf: { agentName: "other", runId: "r", toolCallScope: "later" } };
    const turn = [user("2"), calling(["same", "tool"])];
    await seed(inner, turn, after);
    const looks = provider.calls.readConversation ?? 0;
    late.resolve("late");
    await expect.poll(() => provider.calls.readConversation).toBe(looks + 1);
    await new Promise(setImmediate);
    expect(await storedMessages(inner)).toEqual([user("Hi"), calling(["same", "tool"]), ...turn]);
    expect(await inner.getConversation("c")).toMatchObject({ data: { metadata: after } });
  });
});
