import { createOpenAIProvider } from "../../../packages/openai/src/index.ts";
import type { RecordedReply } from "../recording.ts";
import type { RecordedApi } from "../replay.ts";

function plain(text: string): RecordedReply {
  const body = { id: "chatcmpl-plain", created: 1, model: "m" };
  return {
    whole: {
      ...{ ...body, object: "chat.completion" },
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    },
    events: [
      {
        ...{ ...body, object: "chat.completion.chunk" },
        choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: "stop" }],
      },
      "[DONE]",
    ],
  };
}

export const openaiChat: RecordedApi = {
  provider: (baseURL, options) => createOpenAIProvider({ apiKey: "key", baseURL, ...options }),
  plain,
  isStreamed: (_, { stream }) => stream === true,
  messagesIn: ({ messages }) =>
    (messages as readonly { readonly role: string }[]).filter(({ role }) => role !== "system"),
  isUsers: ({ role }) => role === "user",
};
