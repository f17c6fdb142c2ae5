import { type ChatAnswer, eventStream } from "../../../../test/fakes/openai-chat.ts";
import type { RecordedStream } from "../../../../test/models/stream-cuts.ts";
import { createOpenAIProvider } from "../../src/index.ts";

const model = "gpt-test";
const message = { reasoning_content: "Hm… 🤔", content: "Grüße 🌍!", annotations: [{ note: "…" }] };
const pay = { id: "call_1", type: "function", function: { name: "pay", arguments: '{"amount":5}' } };

const eventsOf = (message: Extract<ChatAnswer, { kind: "reply" }>["message"]) => [
  ...eventStream({ kind: "reply", message }, { model, withUsage: true }),
];
const events = eventsOf(message);
const length = Buffer.byteLength(events.join(""));

export const chatStream: RecordedStream = {
  provider: (fetch) => createOpenAIProvider({ apiKey: "k", model, fetch }),
  events,
  said: message.content,
  message: { role: "assistant", ...message, origin: { provider: "openai", api: "chat", model } },
  // The reply is complete after the finish reason. But a broken connection counts as a failure until `[DONE]` was sent.
  wholeFrom: { ends: Buffer.byteLength(events.slice(0, -2).join("")), breaks: length },
  callEvents: eventsOf({ tool_calls: [pay] }).slice(0, -3),
  variants: { "without [DONE]": (text) => text.replace("data: [DONE]\n\n", "") },
};
