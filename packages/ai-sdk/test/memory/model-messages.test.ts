import { createInMemoryProvider } from "@jaf/memory";
import { generateText, type ModelMessage, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import * as z from "zod";
import {
  type AnyModelMessage,
  loadModelMessages,
  loadUIMessages,
  storeModelMessages,
  storeUIMessages,
} from "../../src/memory/index.ts";
import { histories } from "../support/histories.ts";

const provider = createInMemoryProvider({ type: "memory", maxConversations: 10_000 });
afterAll(() => provider.close());
const freshChat = () => ({ provider, conversationId: crypto.randomUUID() });

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("", "__proto__", "[]", "\u0000"));
const json = fc.jsonValue({ maxDepth: 2 });
const options = {
  providerOptions: fc.dictionary(fc.constantFrom("openai", "jaf"), fc.dictionary(text, json)),
};
const record = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: readonly string[]) =>
  fc.record({ ...fields, ...options } as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...requiredKeys],
  });
const data = fc.oneof(
  fc.constantFrom("aGk=", "https://jaf.dev/x.png", "data:image/png;base64,aGk="),
  fc.uint8Array({ maxLength: 4 }),
  fc.constant(new URL("https://jaf.dev/y")),
);
const textPart = record({ type: fc.constant("text"), text }, ["type", "text"]);
const file = record(
  { type: fc.constant("file"), data, mediaType: fc.constantFrom("image/png", "x"), filename: text },
  ["type", "data", "mediaType"],
);
const image = record({ type: fc.constant("image"), image: data }, ["type", "image"]);
const output = fc.oneof(
  fc.record({ type: fc.constantFrom("text", "error-text"), value: text }),
  fc.record({ type: fc.constantFrom("json", "error-json"), value: json }),
  fc.record({ type: fc.constant("execution-denied"), reason: text }, { requiredKeys: ["type"] }),
  fc.record({
    type: fc.constant("content"),
    value: fc.array(
      fc.oneof(textPart, fc.constant({ type: "file-data", data: "aGk=", mediaType: "image/png" })),
      { maxLength: 2 },
    ),
  }),
);
const id = fc.constantFrom("", "c1", "c2");
const result = record({ type: fc.constant("tool-result"), toolCallId: id, toolName: text, output }, [
  "type",
  "toolCallId",
  "toolName",
  "output",
]);
const call = record(
  {
    type: fc.constant("tool-call"),
    toolCallId: id,
    toolName: text,
    input: json,
    providerExecuted: fc.boolean(),
  },
  ["type", "toolCallId", "toolName", "input"],
);
const reasoning = record({ type: fc.constant("reasoning"), text }, ["type", "text"]);
const asked = fc.record({ type: fc.constant("tool-approval-request"), approvalId: text, toolCallId: id });
const answered = fc.record({
  type: fc.constant("tool-approval-response"),
  approvalId: text,
  approved: fc.boolean(),
});
const message = fc.oneof(
  record({ role: fc.constant("system"), content: text }, ["role", "content"]),
  record(
    {
      role: fc.constant("user"),
      content: fc.oneof(text, fc.array(fc.oneof(textPart, file, image), { maxLength: 4 })),
    },
    ["role", "content"],
  ),
  record(
    {
      role: fc.constant("assistant"),
      content: fc.oneof(
        text,
        fc.array(fc.oneof(textPart, file, reasoning, call, result, asked), { maxLength: 5 }),
      ),
    },
    ["role", "content"],
  ),
  record({ role: fc.constant("tool"), content: fc.array(fc.oneof(result, answered), { maxLength: 3 }) }, [
    "role",
    "content",
  ]),
) as fc.Arbitrary<unknown> as fc.Arbitrary<AnyModelMessage>;

const plain = (value: unknown): unknown => {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof URL || value instanceof Uint8Array)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
};

it("model messages come back exactly, of every kind of part and of hostile values", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 6 }), async (messages) => {
      const chat = freshChat();
      await storeModelMessages(chat, messages);
      expect(await loadModelMessages({ ...chat })).toStrictEqual(plain(messages));
      // Other readers get the standard form.
      await loadUIMessages({ ...chat });
    }),
    { numRuns: 200 },
  );
});

it("a conversation of another engine goes on as model messages", async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const chat = freshChat();
      await provider.storeMessages(chat.conversationId, JSON.parse(JSON.stringify(history)));
      const before = await loadModelMessages({ ...chat });
      const stored = await storeModelMessages({ ...chat }, [{ role: "user" as const, content: "And now?" }]);
      expect(stored).toStrictEqual([...before, { role: "user", content: "And now?" }]);
    }),
    { numRuns: 50 },
  );
});

it("stores what generateText of the real AI SDK says with tools, and UI messages go on as model messages", async () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
  const replies = [
    {
      content: [{ type: "tool-call", toolCallId: "c1", toolName: "price", input: '{"article":"apple"}' }],
      finishReason: { unified: "tool-calls" },
    },
    { content: [{ type: "text", text: "50 cents." }], finishReason: { unified: "stop" } },
    { content: [{ type: "text", text: "Bye." }], finishReason: { unified: "stop" } },
  ];
  const model = new MockLanguageModelV3({
    doGenerate: async () => ({ ...replies.shift(), usage, warnings: [] }) as never,
  });
  const price = tool({
    inputSchema: z.object({ article: z.string() }),
    execute: async () => ({ cents: 50 }),
  });
  const chat = freshChat();
  await storeUIMessages(chat, [{ id: "u1", role: "user", parts: [{ type: "text", text: "How much?" }] }]);
  const messages = await loadModelMessages<ModelMessage>(chat);
  const first = await generateText({ model, messages, tools: { price }, stopWhen: stepCountIs(3) });
  await storeModelMessages<ModelMessage>(chat, first.response.messages);
  const again = await storeModelMessages<ModelMessage>({ ...chat }, [{ role: "user", content: "Thanks" }]);
  expect(again.slice(1, -1)).toEqual(JSON.parse(JSON.stringify(first.response.messages)));
  const second = await generateText({ model, messages: again, tools: { price } });
  await storeModelMessages<ModelMessage>(chat, second.response.messages);
  expect(await loadUIMessages(chat)).toMatchObject([
    { role: "user" },
    {
      role: "assistant",
      parts: [
        { type: "step-start" },
        {
          type: "tool-price",
          state: "output-available",
          input: { article: "apple" },
          output: '{"cents":50}',
        },
        { type: "step-start" },
        { type: "text", text: "50 cents." },
      ],
    },
    { role: "user" },
    { role: "assistant" },
  ]);
});
