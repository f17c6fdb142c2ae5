import { createInMemoryProvider, type Message } from "@jaf/memory";
import { messageWindow } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { converse, stored, storing, talk } from "../support/conversations.ts";
import { assistant, calling, errorOf, result, says, setup, user } from "../support/setup.ts";
import { returning } from "../support/tool-answers.ts";

const ask = { toolCalls: [{ name: "tool" }] };

describe("memory.window", () => {
  it("limits the model's messages, but not the store or the final state", async () => {
    const provider = await storing(talk(4));
    const { views, ended, contexts } = await converse({ provider, memory: { window: { maxMessages: 4 } } });
    expect(views).toEqual([[...talk(1, 3), user("now")]]);
    expect(ended.finalState.messages).toEqual([...talk(4), user("now"), assistant("Done.")]);
    expect((await stored(provider)).messages).toEqual(ended.finalState.messages);
    expect(contexts[0]).toMatchObject({
      window: { type: "messages", limit: 4 },
      ranges: [
        { from: 0, to: 5, fate: "trimmed", reason: "older" },
        { from: 6, to: 8, fate: "sent" },
      ],
    });
  });

  it("is applied before each call of a turn, and keeps calls with their results", async () => {
    const { views } = await converse({
      provider: await storing(talk(3)),
      memory: { window: { maxMessages: 4 } },
      tools: [returning("ok")],
      steps: [ask, ask, "Done."],
    });
    expect(views.map((view) => view.map(({ role }) => role).join(" "))).toEqual([
      "user assistant user",
      "user assistant tool",
      "user assistant tool",
    ]);
    expect(views[2]?.[2]).toMatchObject({ tool_call_id: "call_2" });
  });

  it("counts tokens, and reports the number sent", async () => {
    const { views, contexts } = await converse({
      provider: await storing(talk(20)),
      memory: { window: { memoryType: "token_window", maxTokens: 50, tokenizer: (text) => text.length } },
    });
    const tokens = (view: readonly Message[]) =>
      view.reduce((sum, { content }) => sum + content.length + 4, 0);
    expect(contexts[0]?.estimatedTokens).toBe(tokens(views[0] ?? []));
    expect(contexts[0]?.estimatedTokens).toBeLessThanOrEqual(50);
    expect(views[0]).toHaveLength(3);
  });

  it("counts each text once in a run", async () => {
    const counted: string[] = [];
    const tokenizer = (text: string) => counted.push(text);
    await converse({
      provider: await storing(talk(3)),
      memory: { window: { memoryType: "token_window", maxTokens: 10_000, tokenizer } },
      tools: [returning("ok")],
      steps: [ask, ask, "Done."],
    });
    expect(new Set(counted).size).toBe(counted.length);
  });

  it("accepts the block of a configuration file, without using its memoryId", async () => {
    const window = { memoryId: "session123", memoryType: "message_window", maxMessages: 2 } as const;
    const { views } = await converse({ provider: await storing(talk(3)), memory: { window } });
    expect(views[0]).toEqual([user("now")]);
  });

  it("works without autoStore on the caller's messages", async () => {
    const model = createScriptedModel(["Done."]);
    const memory = { provider: createInMemoryProvider(), window: { maxMessages: 2 } };
    const { config } = setup({ model, config: { memory } });
    const { finalState } = await run(says(...talk(2), "now"), config);
    expect(model.requests[0]?.state.messages).toEqual([user("now")]);
    expect(finalState.messages).toHaveLength(6);
  });

  it("applies to the state of the agent's instructions, too", async () => {
    const { model } = await converse({
      provider: await storing(talk(5)),
      memory: { window: { maxMessages: 3 } },
      agent: { instructions: ({ messages }) => `${messages.length} messages` },
    });
    expect(model.requests[0]?.instructions).toBe("3 messages");
  });

  it("keeps the beginning for many calls with trimTo, across runs and while the store drops messages", async () => {
    const provider = createInMemoryProvider();
    const views: (readonly Message[])[] = [];
    for (let turn = 0; turn < 60; turn++) {
      const ended = await converse({
        provider,
        memory: { window: { maxMessages: 20, trimTo: 10 }, maxMessages: 50 },
        said: [`question ${turn}`],
      });
      views.push(...ended.views);
    }
    const isPrefix = (view: readonly Message[], next: readonly Message[]) =>
      view.every((message, index) => JSON.stringify(message) === JSON.stringify(next[index]));
    const kept = views.slice(1).filter((next, index) => isPrefix(views[index] ?? [], next));
    expect(Math.max(...views.map(({ length }) => length))).toBeLessThanOrEqual(20);
    expect(kept.length / 59).toBeGreaterThan(0.75);
  });
});

describe("a window that is a function", () => {
  it("selects the messages, and the sanitizer makes them replayable", async () => {
    const history = [user("0"), calling(["a", "tool"], ["b", "tool"]), result("a", "2"), result("b", "3")];
    const { views, contexts } = await converse({
      provider: await storing([...history, assistant("4")]),
      memory: { window: (messages) => messages.filter(({ content }) => content !== "2" && content !== "4") },
    });
    expect(views[0]).toEqual([user("0"), calling(["b", "tool"]), result("b", "3"), user("now")]);
    expect(contexts[0]?.ranges).toEqual([
      { from: 0, to: 0, fate: "sent" },
      { from: 1, to: 1, fate: "repaired" },
      { from: 2, to: 2, fate: "trimmed", reason: "function" },
      { from: 3, to: 3, fate: "sent" },
      { from: 4, to: 4, fate: "trimmed", reason: "function" },
      { from: 5, to: 5, fate: "sent" },
    ]);
  });

  it("can add and change messages", async () => {
    const { views, contexts } = await converse({
      provider: await storing(talk(1)),
      memory: {
        window: (messages) => [user("Hello."), ...messages.map((each) => ({ ...each, content: "***" }))],
      },
    });
    expect(views[0]?.map(({ content }) => content)).toEqual(["Hello.", "***", "***", "***"]);
    expect(contexts[0]).toMatchObject({ sent: 4, counts: { trimmed: 3, sent: 0 } });
  });

  it("can be one of the ready-made windows", async () => {
    const { views } = await converse({
      provider: await storing(talk(3)),
      memory: { window: (messages) => messageWindow(messages, { maxMessages: 1 }) },
    });
    expect(views[0]).toEqual([user("now")]);
  });

  it("gets a copy of the list", async () => {
    const { ended } = await converse({
      provider: await storing(talk(2)),
      memory: { window: (messages) => (messages as Message[]).splice(-1) },
    });
    expect(ended.finalState.messages).toHaveLength(6);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["returns no list", () => "all" as never],
    ["returns a list of something else", () => ["all"] as never],
    ["returns a promise", async () => [] as never],
  ])("ends the run if it %s", async (_, window) => {
    const { ended, views } = await converse({
      provider: await storing(talk(1)),
      memory: { window: window as never },
    });
    expect(errorOf(ended)).toMatchObject({ _tag: "InternalError", detail: "RunConfig.memory.window failed" });
    expect(views).toEqual([]);
  });
});

describe("an unusable window", () => {
  const invalid = [
    [{ maxMessages: 0 }, ".maxMessages"],
    [{ memoryType: "token_window" }, ".maxTokens"],
    [{ maxMessages: 4, trimTo: 4 }, ".trimTo"],
    [{ maxMessages: 4, maxMesages: 4 }, ".maxMesages"],
    [{ maxMessages: 4, tokenizer: "o200k" }, ".tokenizer"],
    ["message_window", ""],
  ] as const;

  it.each(invalid)("is refused before the model is called: %j", async (window, field) => {
    for (const autoStore of [true, false]) {
      const { ended, views } = await converse({
        provider: createInMemoryProvider(),
        memory: { window: window as never, autoStore },
      });
      expect(errorOf(ended)).toMatchObject({
        _tag: "MemoryError",
        error: { _tag: "MemoryValidationError", issues: [{ path: `RunConfig.memory.window${field}` }] },
      });
      expect(views).toEqual([]);
    }
  });

  it.each([
    [{ memoryId: "session123" }, "memoryId"],
    [{ memoryType: "message_window", maxMessages: 4 }, "memoryType"],
    [{ memoryType: "token_window", maxTokens: 20 }, "memoryType"],
    [{ maxTokens: 20 }, "maxTokens"],
    [{ trimTo: 2 }, "trimTo"],
    [{ tokenizer: () => 1 }, "tokenizer"],
  ])("is refused next to the provider instead of under window: %j", async (fields, field) => {
    for (const autoStore of [true, false]) {
      const provider = await storing(talk(10));
      const { ended, views } = await converse({ provider, memory: { ...(fields as object), autoStore } });
      expect(errorOf(ended)).toMatchObject({
        error: {
          _tag: "MemoryValidationError",
          issues: expect.arrayContaining([
            {
              path: `RunConfig.memory.${field}`,
              expected: "no such field: put it under memory.window",
            },
          ]),
        },
      });
      expect(views).toEqual([]);
      expect((await stored(provider)).messages).toHaveLength(20);
    }
  });

  it.each([
    [{ compressionThreshold: "50" }, "compressionThreshold"],
    [{ summary: { timeoutMs: 0 } }, "summary.timeoutMs"],
    [{ summary: { summarize: "small" } }, "summary.summarize"],
    [{ summary: "small" }, "summary"],
    [{ summary: null }, "summary"],
  ])("is refused without autoStore, too, if another option is invalid: %j", async (fields, field) => {
    const { ended } = await converse({
      provider: createInMemoryProvider(),
      memory: { ...(fields as object), autoStore: false },
    });
    expect(errorOf(ended)).toMatchObject({
      error: { _tag: "MemoryValidationError", issues: [{ path: `RunConfig.memory.${field}` }] },
    });
  });

  it("ends the run if it would leave out the messages to answer", async () => {
    const { ended, views } = await converse({
      provider: createInMemoryProvider(),
      memory: { window: { maxMessages: 3 } },
      tools: [returning("ok")],
      steps: [{ toolCalls: [{ name: "tool" }, { name: "tool" }] }],
    });
    expect(errorOf(ended)).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryValidationError", issues: [{ path: "RunConfig.memory.window" }] },
    });
    expect(views).toHaveLength(1);
  });
});
