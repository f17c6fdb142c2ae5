import { createAgentClient, type ModelProvider } from "@jaf/core";
import type { Message, RichMessage } from "@jaf/memory";
import { type Framework, SAID } from "./framework.ts";

const conversation: readonly RichMessage[] = [
  {
    role: "user",
    content: [
      { type: "text", text: SAID.question },
      { type: "media", mediaType: "image/png", data: SAID.photo },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: SAID.reasoning, signature: SAID.signature },
      { type: "tool-call", id: SAID.callId },
    ],
    tool_calls: [
      {
        id: SAID.callId,
        type: "function",
        function: { name: "look", arguments: JSON.stringify(SAID.arguments) },
      },
    ],
    origin: { provider: "anthropic", api: "messages", model: "claude" },
  },
  { role: "tool", tool_call_id: SAID.callId, content: SAID.result },
  { role: "assistant", content: SAID.answer },
];

export const jaf: Framework = {
  name: "JAF",
  begin: async ({ provider, conversationId, userId }) => {
    const stored = await provider.storeMessages(conversationId, conversation as readonly Message[], {
      userId,
    });
    if (!stored.success) throw new Error(stored.error.message);
  },
  ask: async ({ provider, conversationId, userId }, text, reply) => {
    let given: unknown;
    const modelProvider: ModelProvider<object> = {
      getCompletion: async ({ messages }) => {
        given = messages;
        return { message: { content: reply } };
      },
    };
    const client = createAgentClient(
      { name: "assistant", instructions: "Help." },
      { modelProvider, context: {}, store: provider },
    );
    await client.forUser(userId).continue(conversationId).prompt(text);
    return given;
  },
  load: async ({ provider, conversationId }) => {
    const found = await provider.getConversation(conversationId);
    if (!found.success) throw new Error(found.error.message);
    return found.data?.messages ?? [];
  },
};
