import { createInMemoryProvider, type Message, type RichMessage } from "@jaf/memory";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fromBaseMessages, toBaseMessages } from "../src/index.ts";

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "__proto__", "\u0000", "{}"));
const json = fc.jsonValue({ maxDepth: 2, noNegativeZero: true } as never);
const fields = fc.dictionary(text, json, { maxKeys: 3, noNullPrototype: true });

const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("reasoning"), reasoning: text }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
  fc.record({ type: fc.constant("image_url"), image_url: fc.oneof(text, fc.record({ url: text })) }),
  fc.constant({ type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } }),
  fc.constant({ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }),
  fc.record(
    { type: fc.constantFrom("image", "audio", "file"), mimeType: text, data: text },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("tool_call"), id: fc.constantFrom("call_1", "x"), name: text, args: fields }),
  // Blocks that look like parts of JAF.
  fc.record({
    type: fc.constantFrom("media", "tool-call", "refusal", "source", "langchain", "other"),
    block: json,
  }),
);
const content = fc.oneof(text, fc.array(block, { maxLength: 4 }));
const call = fc.record({
  type: fc.constant("tool_call" as const),
  id: fc.constantFrom("call_1", "call_2"),
  name: text,
  args: fields,
});
const common = { content, additional_kwargs: fields, response_metadata: fields };
const optional = { id: text, name: text };
const made = (Class: unknown, own: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]) =>
  fc
    .record({ ...common, ...optional, ...own }, { requiredKeys: ["content", ...required] } as never)
    .map((given) => new (Class as new (given: unknown) => BaseMessage)(structuredClone(given)));

const messages = fc.oneof(
  made(HumanMessage, {}, []),
  made(SystemMessage, {}, []),
  made(
    AIMessage,
    {
      tool_calls: fc.array(call, { maxLength: 2 }),
      invalid_tool_calls: fc.array(
        fc.record({ type: fc.constant("invalid_tool_call" as const), id: text, name: text, args: text }),
        { maxLength: 1 },
      ),
      usage_metadata: fc.constant({ input_tokens: 1, output_tokens: 2, total_tokens: 3 }),
    },
    [],
  ),
  made(ToolMessage, { tool_call_id: text, status: fc.constantFrom("success", "error"), artifact: json }, [
    "tool_call_id",
  ]),
  made(ChatMessage, { role: fc.constantFrom("user", "assistant", "critic", "__proto__") }, ["role"]),
  made(FunctionMessage, { name: text }, ["name"]),
  fc.constant(new RemoveMessage({ id: "m1" })),
  fc.constant(new AIMessageChunk({ content: "a", tool_call_chunks: [{ name: "f", args: "{", index: 0 }] })),
);

const shown = (message: BaseMessage) => [
  (message.constructor as typeof AIMessage).lc_name(),
  JSON.parse(JSON.stringify(message)),
  JSON.parse(JSON.stringify({ ...message, lc_kwargs: undefined })),
];

it("returns every message exactly, after a round trip through a store", async () => {
  const provider = createInMemoryProvider();
  await fc.assert(
    fc.asyncProperty(fc.array(messages, { maxLength: 5 }), async (given) => {
      const before = given.map(shown);
      const stored = await provider.storeMessages("conv-1", fromBaseMessages(given));
      if (!stored.success) throw new Error(stored.error.message);
      const read = await provider.getConversation("conv-1");
      const back = toBaseMessages(read.success ? (read.data?.messages ?? []) : []);
      expect(back.map(shown)).toEqual(before);
      expect(given.map(shown)).toEqual(before);
    }),
    { numRuns: 300 },
  );
});

it("stores what other engines read, with no copy beside it", () => {
  const ai = new AIMessage({
    content: [{ type: "text", text: "I look." }],
    tool_calls: [{ type: "tool_call", id: "call_1", name: "find", args: { number: 17 } }],
    response_metadata: { model_name: "m" },
  });
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const given = [
    new HumanMessage({ content: [image] }),
    ai,
    new ToolMessage({ content: "on its way", tool_call_id: "call_1" }),
    new SystemMessage("Be brief."),
  ];
  expect(fromBaseMessages(given)).toEqual([
    {
      role: "user",
      content: [{ type: "media", mediaType: "image/png", data: "AAAA", langchain: "image_url" }],
    },
    {
      role: "assistant",
      content: [{ type: "text", text: "I look." }],
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "find", arguments: '{"number":17}' } },
      ],
      langchain: { fields: { response_metadata: { model_name: "m" } } },
    },
    { role: "tool", content: "on its way", tool_call_id: "call_1" },
    { role: "system", content: "Be brief." },
  ]);
});

it("reads what other engines wrote", () => {
  const written: readonly RichMessage[] = [
    { role: "developer", content: "Be brief." },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "tool-call", id: "call_1" },
        { type: "media", mediaType: "image/png", url: "https://example.com/a.png" },
        { type: "other-engine", item: {} },
      ],
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "find", arguments: "{}" } },
        { id: "call_2", type: "function", function: { name: "find", arguments: "{broken" } },
        { id: "call_3", type: "custom", custom: { name: "sql", input: "select 1" } },
      ],
      origin: { provider: "openai", api: "chat", model: "gpt-5" },
    },
    { role: "assistant", content: null },
  ];
  const [system, assistant, nothing] = toBaseMessages(written as readonly Message[]);
  expect(system?.additional_kwargs).toEqual({ __openai_role__: "developer" });
  expect(assistant?.content).toEqual([
    { type: "reasoning", reasoning: "Hm." },
    { type: "image", mimeType: "image/png", url: "https://example.com/a.png" },
  ]);
  expect((assistant as AIMessage).tool_calls).toEqual([
    { type: "tool_call", id: "call_1", name: "find", args: {} },
    { type: "tool_call", id: "call_3", name: "sql", args: { input: "select 1" } },
  ]);
  expect((assistant as AIMessage).invalid_tool_calls).toEqual([
    { type: "invalid_tool_call", id: "call_2", name: "find", args: "{broken" },
  ]);
  expect(nothing?.content).toBe("");
});

it("keeps dates and addresses in the arguments of a call, which are texts in the standard form", () => {
  const args = { from: new Date(0), at: new URL("https://a.test/") };
  const message = new AIMessage({
    content: "",
    tool_calls: [{ type: "tool_call", id: "1", name: "book", args }],
  });
  const [back] = toBaseMessages(fromBaseMessages([message]));
  expect((back as AIMessage).tool_calls?.[0]?.args).toEqual(args);
});
