import { createOpenAIResponsesProvider } from "../../../packages/openai/src/index.ts";
import type { RecordedReply } from "../recording.ts";
import type { RecordedApi } from "../replay.ts";

function plain(text: string): RecordedReply {
  const content = [{ type: "output_text", text, annotations: [] }];
  const item = { id: "msg_plain", type: "message", role: "assistant", status: "completed", content };
  const response = { id: "resp_plain", object: "response", status: "completed", output: [item] };
  return {
    whole: response,
    events: [
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ],
  };
}

export const openaiResponses: RecordedApi = {
  provider: (baseURL, options) => createOpenAIResponsesProvider({ apiKey: "key", baseURL, ...options }),
  plain,
  isStreamed: (_, { stream }) => stream === true,
  messagesIn: ({ input }) => input as readonly Record<string, unknown>[],
  isUsers: ({ role }) => role === "user",
};
