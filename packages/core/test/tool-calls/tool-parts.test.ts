import { createInMemoryProvider, type Message, type RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  createTool,
  run,
  ToolResponse,
  type ToolReturn,
  type TraceEvent,
  withErrorHandling,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { eventsOfType, says, setup } from "../support/setup.ts";
import { answersTo, returning } from "../support/tool-answers.ts";

const image = { type: "media", mediaType: "image/png", data: new Uint8Array([1, 2]) } as const;
const parts = [{ type: "text", text: "Here:" }, image, { type: "text", text: "It is blue." }] as const;

describe("a tool that returns parts", () => {
  it("has them in its message, for the model and in the store", async () => {
    const provider = createInMemoryProvider();
    const draw = createTool({
      name: "draw",
      description: "",
      parameters: z.object({}),
      execute: () => ({ parts }),
    });
    const model = createScriptedModel([{ toolCalls: [{ name: "draw" }] }, "Done."]);
    const memory = { provider, autoStore: true } as const;
    const { config, events } = setup({ model, tools: [draw], config: { memory, conversationId: "c" } });
    await run(says("Hi"), config);
    const message = { role: "tool", tool_call_id: "call_1", content: parts };
    const seen: readonly RichMessage[] = model.requests[1]?.state.messages ?? [];
    expect(seen.at(-1)).toStrictEqual(message);
    const stored = await provider.getConversation("c");
    expect(stored.success && stored.data?.messages[2]).toStrictEqual(message);
    expect(eventsOfType(events, "tool_call_end")).toMatchObject([
      { status: "success", result: "Here:\nIt is blue.", parts },
    ]);
  });

  it("has bytes that an observer can't change", async () => {
    const model = createScriptedModel([{ toolCalls: [{ name: "tool" }] }, "Done."]);
    const onEvent = (event: TraceEvent) => {
      if (event.type !== "tool_call_end") return;
      for (const { data } of event.data.parts ?? []) if (data instanceof Uint8Array) data.fill(9);
    };
    await run(
      says("Hi"),
      setup({ model, tools: [returning({ parts: [image] })], config: { onEvent } }).config,
    );
    const seen: readonly RichMessage[] = model.requests[1]?.state.messages ?? [];
    expect(seen.at(-1)?.content).toStrictEqual([{ ...image, data: new Uint8Array([1, 2]) }]);
  });

  it("can return them in a success, also through withErrorHandling", async () => {
    const answer = { parts: [image] };
    const wrapped = await withErrorHandling("tool", () => answer)({}, {});
    for (const value of [ToolResponse.success(answer), wrapped]) {
      expect((await answersTo([{ name: "tool" }], [returning(value)])).contents).toStrictEqual([[image]]);
    }
  });

  it("copies its parts, with bytes of any kind", async () => {
    const data = Buffer.from([1, 2]);
    const { contents } = await answersTo([{ name: "tool" }], [returning({ parts: [{ ...image, data }] })]);
    data.fill(9);
    expect(contents).toStrictEqual([[image]]);
    expect(Object.isFrozen(contents[0])).toBe(true);
  });

  it("is an error if a part contains something other than data", async () => {
    const broken = { parts: [{ ...image, at: () => 1 }] };
    const { contents, events } = await answersTo([{ name: "tool" }], [returning(broken)]);
    expect(JSON.parse(contents[0] ?? "")).toMatchObject({
      status: "error",
      error: { code: "EXECUTION_FAILED" },
    });
    expect(eventsOfType(events, "tool_call_end")).toMatchObject([{ status: "error" }]);
  });

  it.each<readonly [string, ToolReturn]>([
    ["parts of a machine", { parts: [{ type: "screw", quantity: 2 }] }],
    ["no parts", { parts: [] }],
    ["parts beside something else", { parts, total: 2 }],
    ["media without anything", { parts: [{ type: "media", mediaType: "image/png" }] }],
    ["a list", [{ type: "text", text: "x" }]],
    ["plain data", { rows: [1] }],
  ])("differs from a tool that returns %s, which is sent as JSON", async (_what, value) => {
    expect((await answersTo([{ name: "tool" }], [returning(value)])).contents).toEqual([
      JSON.stringify(value),
    ]);
  });

  it("can be a client tool", async () => {
    const draw = createTool({ name: "draw", description: "", parameters: z.object({}) });
    const memory = { provider: createInMemoryProvider(), autoStore: true } as const;
    const worldOf = (...model: readonly (string | object)[]) =>
      setup({ model: model as never, tools: [draw], config: { memory, conversationId: "c" } }).config;
    await run(says("Hi"), worldOf({ toolCalls: [{ name: "draw" }] }));
    const toolResults = [{ toolCallId: "call_1", result: { parts } }];
    const { finalState } = await run(says(), { ...worldOf("Done."), resume: { toolResults } });
    const answer: RichMessage | undefined = finalState.messages[2];
    expect(answer?.content).toStrictEqual(parts);
  });

  it("can be a client tool, with the whole conversation sent back", async () => {
    const draw = createTool({ name: "draw", description: "", parameters: z.object({}) });
    const memory = { provider: createInMemoryProvider(), autoStore: true } as const;
    const worldOf = (...model: readonly (string | object)[]) =>
      setup({ model: model as never, tools: [draw], config: { memory, conversationId: "c" } }).config;
    const { finalState: waiting } = await run(says("Hi"), worldOf({ toolCalls: [{ name: "draw" }] }));
    const result: RichMessage = { role: "tool", tool_call_id: "call_1", content: parts };
    const continuation = [...waiting.messages, result] as readonly Message[];
    const { finalState } = await run(says(), { ...worldOf("Done."), resume: { messages: continuation } });
    expect(finalState.messages[2]).toStrictEqual(result);
  });
});
