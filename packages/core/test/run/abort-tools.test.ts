import { createInMemoryProvider } from "@jaf/memory";
import { isReplayable } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run } from "../../src/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { deferred, errorOf, result, says, setup } from "../support/setup.ts";

describe("an abort while tools run", () => {
  function toolRun(durability: "completed" | "step") {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const started: string[] = [];
    const finish = deferred<string>();
    const hang = createTool({
      name: "hang",
      description: "Ignores the abort",
      parameters: z.object({}),
      execute: (_args, _context, call) => {
        started.push(call?.toolCallId ?? "");
        return finish.promise;
      },
    });
    const quick = createTool({
      name: "quick",
      description: "",
      parameters: z.object({}),
      execute: (_args, _context, call) => {
        started.push(call?.toolCallId ?? "");
        return "quick result";
      },
    });
    const { config, events } = setup({
      model: [
        {
          toolCalls: [
            { name: "quick", id: "a" },
            { name: "hang", id: "b" },
            { name: "quick", id: "c" },
          ],
        },
      ],
      tools: [hang, quick],
      config: {
        signal,
        maxParallelTools: 1,
        memory: { provider: inner, autoStore: true, durability },
        conversationId: "conversation",
      },
    });
    const stored = async () => {
      const read = await inner.getRecentMessages("conversation");
      return read.success ? read.data : [];
    };
    return { config, events, abort, started, finish, stored };
  }

  it("starts no further tool and doesn't wait for one that ignores the signal", async () => {
    const { config, abort, started } = toolRun("completed");
    const running = run(says("Hi"), config);
    await expect.poll(() => started).toEqual(["a", "b"]);
    abort();
    const ended = await running;
    expect(errorOf(ended)).toEqual(aborted);
    expect(isReplayable(ended.finalState.messages)).toBe(true);
    expect(ended.finalState.messages.at(-1)).toEqual(result("a", "quick result"));
    expect(started).toEqual(["a", "b"]);
  });

  it("stores nothing in durability completed", async () => {
    const { config, abort, started, stored, finish } = toolRun("completed");
    const running = run(says("Hi"), config);
    await expect.poll(() => started).toHaveLength(2);
    abort();
    finish.resolve("late");
    await running;
    expect(await stored()).toEqual([]);
  });

  it("still stores the result of a late tool in durability step, without further events", async () => {
    const { config, events, abort, started, stored, finish } = toolRun("step");
    const running = run(says("Hi"), config);
    await expect.poll(() => started).toHaveLength(2);
    abort();
    await running;
    const told = events.length;
    finish.resolve("late");
    await expect.poll(stored).toContainEqual(result("b", "late"));
    expect(started).toEqual(["a", "b"]);
    expect(events).toHaveLength(told);
    expect(events.at(-1)?.type).toBe("run_end");
  });

  it("treats a tool that throws because of the abort as unfinished, so a resumed run runs it again", async () => {
    const { config, abort, started, stored, finish } = toolRun("step");
    const running = run(says("Hi"), config);
    await expect.poll(() => started).toHaveLength(2);
    abort();
    finish.reject(new Error("stopped"));
    await running;
    await new Promise(setImmediate);
    expect((await stored()).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("starts no tool if an observer of its start event aborts", async () => {
    const { config, abort, started } = toolRun("completed");
    const ended = await run(says("Hi"), {
      ...config,
      onEvent: ({ type }) => {
        if (type === "tool_call_start") abort();
      },
    });
    expect(errorOf(ended)).toEqual(aborted);
    expect(started).toEqual([]);
  });
});
