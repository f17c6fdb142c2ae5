import { createGoogleProvider } from "../../../packages/google/src/index.ts";
import type { RecordedReply } from "../recording.ts";
import type { RecordedApi } from "../replay.ts";

function plain(text: string): RecordedReply {
  const candidate = { content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 };
  const response = { candidates: [candidate] };
  return { whole: response, events: [response] };
}

export const google: RecordedApi = {
  provider: (baseURL, options) => createGoogleProvider({ apiKey: "key", baseURL, ...options }),
  plain,
  isStreamed: (path) => path.includes("streamGenerateContent"),
  messagesIn: ({ contents }) => contents as readonly Record<string, unknown>[],
  isUsers: ({ role, parts }) =>
    role === "user" && !(parts as readonly object[]).some((part) => "functionResponse" in part),
};
