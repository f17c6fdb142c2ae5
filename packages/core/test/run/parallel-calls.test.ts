import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run } from "../../src/index.ts";
import { deferred, says, setup } from "../support/setup.ts";

describe("the calls of one reply", () => {
  it("have their results in call order, in any order of completion and at any limit", async () => {
    const schedule = fc
      .integer({ min: 1, max: 8 })
      .chain((count) =>
        fc.tuple(
          fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }),
          fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(schedule, async ([finishOrder, maxParallelTools]) => {
        const gates = finishOrder.map(() => deferred());
        const started: number[] = [];
        const gated = createTool({
          name: "gated",
          description: "",
          parameters: z.object({ index: z.number() }),
          execute: async ({ index }) => {
            started.push(index);
            await gates[index]?.promise;
            return `result ${index}`;
          },
        });
        const toolCalls = finishOrder.map((_, index) => ({
          name: "gated",
          id: `id${index}`,
          arguments: { index },
        }));
        const { config } = setup({
          model: [{ toolCalls }, "done"],
          tools: [gated],
          config: maxParallelTools === undefined ? {} : { maxParallelTools },
        });
        const running = run(says("Hi"), config);
        for (const index of finishOrder) {
          await new Promise(setImmediate);
          gates[index]?.resolve();
        }
        const { finalState } = await running;
        expect(started).toEqual([...started].sort((a, b) => a - b));
        expect(
          finalState.messages.filter(({ role }) => role === "tool").map((message) => message.content),
        ).toEqual(toolCalls.map((_, index) => `result ${index}`));
      }),
      { numRuns: 50 },
    );
  });

  async function mostAtOnce(maxParallelTools?: number): Promise<number> {
    let active = 0;
    let most = 0;
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({}),
      execute: async () => {
        most = Math.max(most, ++active);
        await new Promise(setImmediate);
        active -= 1;
        return "ok";
      },
    });
    const { config } = setup({
      model: [{ toolCalls: Array.from({ length: 6 }, () => ({ name: "tool" })) }, "done"],
      tools: [tool],
      config: maxParallelTools === undefined ? {} : { maxParallelTools },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    return most;
  }

  it("all run at the same time by default", async () => {
    expect(await mostAtOnce()).toBe(6);
  });

  it.each([
    [1, 1],
    [2, 2],
    [6, 6],
    [100, 6],
    [0, 1],
    [2.9, 2],
    [Number.NaN, 6],
  ])("with maxParallelTools %d run at most %d at the same time", async (limit, most) => {
    expect(await mostAtOnce(limit)).toBe(most);
  });

  it("have all results if one fails", async () => {
    const flaky = createTool({
      name: "flaky",
      description: "",
      parameters: z.object({ fail: z.boolean() }),
      execute: ({ fail }) => {
        if (fail) throw new Error("no");
        return "yes";
      },
    });
    const { config } = setup({
      model: [{ toolCalls: [true, false].map((fail) => ({ name: "flaky", arguments: { fail } })) }, "done"],
      tools: [flaky],
    });
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.messages[2]?.content).toContain("EXECUTION_FAILED");
    expect(finalState.messages[3]?.content).toBe("yes");
  });
});
