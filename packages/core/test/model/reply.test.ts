import type { Message } from "@jaf/memory";
import { isReplayable } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type ModelCompletion, run } from "../../src/index.ts";
import { parseReply } from "../../src/model/reply.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

const call = (id?: string, name = "echo", args: unknown = "{}") => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args },
});

const withCalls = (...calls: readonly unknown[]) =>
  ({ message: { content: null, tool_calls: calls } }) as unknown as ModelCompletion;

const callsOf = (completion: ModelCompletion): NonNullable<Message["tool_calls"]> => {
  const reply = parseReply(completion);
  if (!reply.ok) throw new Error(reply.detail);
  return reply.message.tool_calls ?? [];
};

describe("a reply that can be repaired", () => {
  it("gets an id for each call without one", () => {
    const ids = callsOf(withCalls(call(), call(""))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids).toEqual([expect.stringMatching(/^call_\w+$/), expect.stringMatching(/^call_\w+$/)]);
  });

  it("gets distinct ids in linear time", () => {
    const before = process.cpuUsage();
    const ids = callsOf(withCalls(...Array.from({ length: 20_000 }, () => call("a")))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(20_000);
    // In CPU time, because a busy machine delays the test.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it("gets distinct ids if the model used one twice", () => {
    const ids = callsOf(withCalls(call("a"), call("a"), call("a_2"), call("a"))).map(({ id }) => id);
    expect(ids).toEqual(["a", "a_2", "a_2_2", "a_3"]);
  });

  it("gets {} for absent arguments, and JSON for decoded ones", () => {
    const completion = withCalls(
      { id: "a", function: { name: "echo" } },
      { id: "b", function: { name: "echo", arguments: null } },
      call("c", "echo", { x: 1 }),
    );
    expect(callsOf(completion).map((made) => made.function.arguments)).toEqual(["{}", "{}", '{"x":1}']);
  });

  it("keeps the exact text of the arguments", () => {
    const text = ' {"a" : 1.0,\n"a":2} ';
    expect(callsOf(withCalls(call("a", "echo", text)))[0]?.function.arguments).toBe(text);
  });

  it("runs, and results in a history that can be replayed", async () => {
    const echo = createTool({
      name: "echo",
      description: "",
      parameters: z.object({}),
      execute: (_args, _context, made) => made?.toolCallId ?? "",
    });
    const completions = [withCalls(call("a"), call("a")), { message: { content: "done" } }];
    const { config } = setup({
      model: { getCompletion: async () => completions.shift() ?? {} },
      tools: [echo],
    });
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.messages.map(({ content }) => content)).toEqual(["Hi", "", "a", "a_2", "done"]);
    expect(isReplayable(finalState.messages)).toBe(true);
  });
});

describe("a reply that can't be used", () => {
  const unusable: readonly (readonly [string, unknown, string])[] = [
    ["is undefined", undefined, "the reply is empty"],
    ["is null", null, "the reply is empty"],
    ["has no message", {}, "the reply is empty"],
    ["has no content", { message: {} }, "the reply is empty"],
    ["has null content and no calls", { message: { content: null, tool_calls: [] } }, "the reply is empty"],
    ["has empty content", { message: { content: "" } }, "the reply is empty"],
    ["has nothing but white space", { message: { content: " \n\t\u00a0" } }, "the reply is empty"],
    ["has content that isn't text", { message: { content: [{ text: "x" }] } }, "its content is not text"],
    ["has calls that are no list", { message: { tool_calls: "x" } }, "its tool calls are not a list"],
    ["has a null call", withCalls(null), "a tool call names no function"],
    ["has a call without a function", withCalls({ id: "a" }), "a tool call names no function"],
    ["has a call without a name", withCalls(call("a", "")), "a tool call names no function"],
    [
      "has arguments that are a number",
      withCalls(call("a", "echo", 5)),
      "the arguments of a tool call are not JSON text",
    ],
  ];

  it.each(unusable)(
    "is retried because it %s, and then is a ModelBehaviorError",
    async (_why, completion, detail) => {
      let calls = 0;
      const { config, events } = setup({
        model: {
          getCompletion: async () => {
            calls += 1;
            return completion as ModelCompletion;
          },
        },
      });
      const ended = await run(says("Hi"), config);
      expect(errorOf(ended)).toEqual({ _tag: "ModelBehaviorError", detail });
      expect(calls).toBe(3);
      expect(eventsOfType(events, "llm_retry")).toHaveLength(2);
      expect(ended.finalState.messages).toHaveLength(1);
    },
  );

  it("is no failure if the next one is usable", async () => {
    const { config } = setup({ model: [{}, "Hello."] });
    expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Hello." });
  });
});
