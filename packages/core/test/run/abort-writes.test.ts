import { createInMemoryProvider, createSuccess } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run } from "../../src/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { assistant, calling, deferred, errorOf, result, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

describe("an abort while results are being stored", () => {
  it("waits for the running writes, and has the stored results in the final state", async () => {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const writing = deferred();
    const goOn = deferred();
    const provider: typeof inner = {
      ...inner,
      appendMessages: async (...args) => {
        if (args[1][0]?.role === "tool") {
          writing.resolve();
          await goOn.promise;
        }
        return inner.appendMessages(...args);
      },
    };
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({}),
      execute: (_args, _context, call) => `ran ${call?.toolCallId}`,
    });
    const { config } = setup({
      model: [{ toolCalls: ["a", "b"].map((id) => ({ name: "tool", id })) }],
      tools: [tool],
      config: { signal, memory: { provider, autoStore: true, durability: "step" }, conversationId: "c" },
    });
    const running = run(says("Hi"), config);
    await writing.promise;
    abort();
    setImmediate(goOn.resolve);
    const ended = await running;
    expect(errorOf(ended)).toEqual(aborted);
    const all = [
      user("Hi"),
      calling(["a", "tool"], ["b", "tool"]),
      result("a", "ran a"),
      result("b", "ran b"),
    ];
    expect(await storedMessages(inner)).toEqual(all);
    expect(ended.finalState.messages).toEqual(all);
  });
});

describe("an abort while the run reads the conversation that it created", () => {
  it("doesn't wait for a store that never answers", async () => {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const reading = deferred();
    const provider: typeof inner = {
      ...inner,
      // As after a lost answer: no receipt tells which conversation the run has made.
      appendMessages: async (...args) => {
        const written = await inner.appendMessages(...args);
        return written.success ? createSuccess(undefined) : written;
      },
      readConversation: (id, options) => {
        if (options?.messages !== "none") return inner.readConversation(id, options);
        reading.resolve();
        return new Promise(() => undefined);
      },
    };
    const { config } = setup({
      model: ["Hello."],
      config: { signal, memory: { provider, autoStore: true, durability: "turn" }, conversationId: "c" },
    });
    const running = run(says("Hi"), config);
    await reading.promise;
    abort();
    expect((await running).outcome.status).toBe("error");
    expect(await storedMessages(inner)).toEqual([user("Hi")]);
  });
});

describe("an abort while the output is decoded", () => {
  it("doesn't wait for the codec", async () => {
    const { signal, abort } = abortable();
    const reached = deferred();
    const outputCodec = z.string().refine(() => {
      reached.resolve();
      return new Promise<boolean>(() => undefined);
    });
    const { config } = setup({ model: ["Hello."], agent: { outputCodec }, config: { signal } });
    const running = run(says("Hi"), config);
    await reached.promise;
    abort();
    const ended = await running;
    expect(errorOf(ended)).toEqual(aborted);
    expect(ended.finalState.messages).not.toContainEqual(assistant("Hello."));
  });
});

describe("the reason of an abort", () => {
  it.each([
    ["an object without a prototype", Object.create(null)],
    [
      "an object that refuses to be text",
      {
        toString: () => {
          throw new Error("no");
        },
      },
    ],
    ["an error whose message is no text", Object.assign(new Error(), { message: Object.create(null) })],
  ])("can be any value: %s", async (_what, reason) => {
    const { config } = setup({ model: ["never"], config: { signal: AbortSignal.abort(reason) } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "RunAborted",
      reason: "a object that can't be written as text",
    });
  });

  it("can be a symbol", async () => {
    const { config } = setup({ model: ["never"], config: { signal: AbortSignal.abort(Symbol("stop")) } });
    expect(errorOf(await run(says("Hi"), config))).toEqual({ _tag: "RunAborted", reason: "Symbol(stop)" });
  });
});

describe("a run that begins while a tool of the stopped run before it finishes", () => {
  it("goes on from the tool's result, which is stored after the run has loaded the conversation", async () => {
    const { signal, abort } = abortable();
    const inner = createInMemoryProvider();
    const started = deferred();
    const finish = deferred();
    const stored = deferred();
    const provider: typeof inner = {
      ...inner,
      appendMessages: async (...args) => {
        const written = await inner.appendMessages(...args);
        if (args[1][0]?.role === "tool") stored.resolve();
        return written;
      },
      readConversation: async (id, options) => {
        const read = await inner.readConversation(id, options);
        if (!signal.aborted || options?.messages === "none") return read;
        finish.resolve();
        await stored.promise;
        return read;
      },
    };
    const tool = createTool({
      name: "tool",
      description: "",
      parameters: z.object({}),
      execute: async () => {
        started.resolve();
        await finish.promise;
        return "ran";
      },
    });
    const { config } = setup({
      model: [{ toolCalls: [{ name: "tool", id: "a" }] }, "Hello."],
      tools: [tool],
      config: { memory: { provider, autoStore: true, durability: "step" }, conversationId: "c" },
    });
    const stopped = run(says("Hi"), { ...config, signal });
    await started.promise;
    abort();
    expect(errorOf(await stopped)).toEqual(aborted);
    expect((await run(says("Are you there?"), config)).outcome.status).toBe("completed");
    const before = [user("Hi"), calling(["a", "tool"]), result("a", "ran")];
    expect(await storedMessages(inner)).toEqual([...before, user("Are you there?"), assistant("Hello.")]);
  });
});
