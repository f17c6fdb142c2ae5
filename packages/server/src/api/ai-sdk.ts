import * as z from "zod";
import { operation } from "../http/operation.ts";
import { turnFailures } from "./chat.ts";
import { stopping } from "./turns.ts";

const role = z.enum(["system", "user", "assistant"]);
const parts = z.array(z.looseObject({ type: z.string() }));

/** What `DefaultChatTransport` of the AI SDK sends, and `agentName` beside it. */
const chatBody = z.looseObject({
  id: z.string().min(1).max(1_000).describe("The chat. Each user has their own of this id."),
  messages: z
    .array(z.looseObject({ id: z.string().optional(), role, parts }))
    .min(1)
    .describe("UI messages, of which the one counts that the request is about."),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().optional(),
  agentName: z.string().min(1).optional(),
});
export type AiSdkChatBody = z.output<typeof chatBody>;

export const aiSdkChat = operation("post", "/ai-sdk/chat", {
  summary: "What useChat of the AI SDK sends, as a UI message stream.",
  body: chatBody,
  streams: "always",
  failures: turnFailures,
});

export const aiSdkStream = operation("get", "/ai-sdk/chat/{chatId}/stream", {
  summary: "The running turn as a UI message stream.",
  streams: "always",
  nothing: "The chat has no running turn.",
});

export const aiSdkStop = operation("post", "/ai-sdk/chat/{chatId}/stop", {
  summary: "Asks the running turn to stop.",
  answer: stopping,
});

export const aiSdkMessages = operation("get", "/ai-sdk/chat/{chatId}/messages", {
  summary: "The chat as UI messages of the AI SDK.",
  answer: z.object({ messages: z.array(z.looseObject({ id: z.string(), role, parts })) }),
});
