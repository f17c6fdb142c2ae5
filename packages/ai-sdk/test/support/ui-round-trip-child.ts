/**
 * Runs streams with a scripted model in a version of the AI SDK from a given folder, and stores and loads their UI messages.
 * Prints how many came back exactly.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createInMemoryProvider } from "@jaf/memory";
import * as z from "zod";
import { loadUIMessages, storeUIMessages, takeMessage } from "../../src/memory/index.ts";

const [folder = "", name = "", count = "20"] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, "package.json"));
const load = (module: string) => import(pathToFileURL(resolve(module)).href);
const { convertToModelMessages, simulateReadableStream, streamText, tool, validateUIMessages, ...ai } =
  await load(name);
const { MockLanguageModelV2, MockLanguageModelV4 } = await load(`${name}/test`);

const isV5 = MockLanguageModelV4 === undefined;
const usage = isV5
  ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  : { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = { type: "finish", finishReason: isV5 ? "stop" : { unified: "stop", raw: "stop" }, usage };
const providerMetadata = { mock: { signature: "c2ln" } };
const STEPS = [
  [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "Hm…" },
    { type: "reasoning-end", id: "r", providerMetadata },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "price",
      input: '{"article":"apple"}',
      providerMetadata,
    },
  ],
  [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "50 cents." },
    { type: "text-end", id: "t" },
  ],
];
let calls = 0;
const model = new (isV5 ? MockLanguageModelV2 : MockLanguageModelV4)({
  doStream: async () => {
    const step = STEPS[calls++ % STEPS.length] ?? [];
    return {
      stream: simulateReadableStream({ chunks: [{ type: "stream-start", warnings: [] }, ...step, finish] }),
    };
  },
});
const price = tool({
  inputSchema: z.object({ article: z.string() }),
  execute: async () => ({ cents: 50, since: new Date(0) }),
});

/** A field that is `undefined` isn't stored. */
const present = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, present(field)]));
};

const provider = createInMemoryProvider();
let exact = 0;
for (let round = 0; round < Number(count); round++) {
  const chat = { provider, conversationId: `${round}`, userId: "ann" };
  const text = { type: "text", text: "How much?" } as const;
  const messages = await takeMessage(chat, { id: "u1", role: "user" as const, parts: [text] });
  let finished: unknown;
  const result = streamText({
    model,
    messages: await convertToModelMessages(messages, { ignoreIncompleteToolCalls: true }),
    tools: { price },
    stopWhen: (ai.isStepCount ?? ai.stepCountIs)(3),
  });
  const response: Response = result.toUIMessageStreamResponse({
    originalMessages: messages,
    generateMessageId: () => crypto.randomUUID(),
    onFinish: async (end: { readonly messages: typeof messages }) => {
      finished = end.messages;
      await storeUIMessages(chat, end.messages);
    },
  });
  await response.text();
  const loaded = await loadUIMessages({ ...chat });
  await validateUIMessages({ messages: JSON.parse(JSON.stringify(loaded)) });
  await convertToModelMessages(loaded);
  if (isDeepStrictEqual(present(finished), loaded)) exact += 1;
}
console.log(JSON.stringify({ specification: model.specificationVersion, exact }));
