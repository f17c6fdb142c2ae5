import { loadUIMessages, storeUIMessages, takeMessage } from "@jaf/ai-sdk/memory";
import { convertToModelMessages, streamText, type UIMessage } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { type Framework, SAID } from "./framework.ts";

const conversation: UIMessage[] = [
  {
    id: "ui-1",
    role: "user",
    parts: [
      { type: "text", text: SAID.question },
      { type: "file", mediaType: "image/png", url: `data:image/png;base64,${SAID.photo}` },
    ],
  },
  {
    id: "ui-2",
    role: "assistant",
    metadata: { rating: 5 },
    parts: [
      { type: "step-start" },
      {
        type: "reasoning",
        text: SAID.reasoning,
        state: "done",
        providerMetadata: { anthropic: { signature: SAID.signature } },
      },
      {
        type: "tool-look",
        toolCallId: SAID.callId,
        state: "output-available",
        input: SAID.arguments,
        output: SAID.result,
      },
      { type: "step-start" },
      { type: "text", text: SAID.answer, state: "done" },
    ],
  },
];

function modelReplying(reply: string, onPrompt: (prompt: unknown) => void) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return new MockLanguageModelV3({
    doStream: async ({ prompt }) => {
      onPrompt(prompt);
      return {
        stream: simulateReadableStream({
          chunks: [
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: reply },
            { type: "text-end", id: "t" },
            { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
          ],
        }),
      };
    },
  });
}

export const aiSdk: Framework = {
  name: "AI SDK",
  begin: async (place) => void (await storeUIMessages(place, conversation)),
  ask: async (place, text, reply) => {
    let given: unknown;
    const model = modelReplying(reply, (prompt) => {
      given = prompt;
    });
    const question: UIMessage = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
    const messages = await takeMessage({ ...place }, question);
    const result = streamText({ model, messages: await convertToModelMessages(messages) });
    const response = result.toUIMessageStreamResponse({
      originalMessages: messages,
      generateMessageId: () => crypto.randomUUID(),
      onFinish: async (end) => void (await storeUIMessages({ ...place }, end.messages)),
    });
    await response.text();
    return given;
  },
  load: (place) => loadUIMessages({ ...place }),
};
