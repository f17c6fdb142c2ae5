import { createAnthropicProvider } from "../../../packages/anthropic/src/index.ts";
import type { RecordedReply } from "../recording.ts";
import type { RecordedApi } from "../replay.ts";

function plain(text: string): RecordedReply {
  const message = { id: "msg_plain", type: "message", role: "assistant", model: "m" };
  return {
    whole: { ...message, content: [{ type: "text", text }], stop_reason: "end_turn", stop_sequence: null },
    events: [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null } },
      { type: "message_stop" },
    ],
  };
}

export const anthropic: RecordedApi = {
  provider: (baseURL, options) => createAnthropicProvider({ apiKey: "key", baseURL, ...options }),
  plain,
  isStreamed: (_, { stream }) => stream === true,
  messagesIn: ({ messages }) => messages as readonly Record<string, unknown>[],
  isUsers: ({ role, content }) =>
    role === "user" && !(content as readonly { readonly type: string }[]).some(isResult),
};

const isResult = ({ type }: { readonly type: string }): boolean => type === "tool_result";
