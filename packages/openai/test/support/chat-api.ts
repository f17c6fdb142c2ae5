import { expect } from "vitest";
import { type ChatAnswer, startFakeChat } from "../../../../test/fakes/openai-chat.ts";
import type { Failure } from "../../../../test/models/failure-table.ts";
import { type ModelApi, QUOTED, raw, stream } from "../../../../test/models/model-api.ts";
import { createOpenAIProvider } from "../../src/index.ts";
import { providerOf } from "./setup.ts";

const errorBody = (code: string) => ({
  error: { message: QUOTED, type: "invalid_request_error", param: null, code },
});

const delta = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

const half = delta({ content: "Half" });

const call = (id: string, name: string, text: string) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

const WORDS = "I can't help with that.";

const wrongCalls = [call("call_1", "add", '{"a": 1'), call("call_2", "nothing", "{}")];

export const chatApi: ModelApi<ChatAnswer> = {
  start: (steps) => startFakeChat({ steps }),
  provider: providerOf,
  keyless: ({ baseURL }) => createOpenAIProvider({ baseURL, model: "m" }),
  errorName: "OpenAIError",
  error: { body: errorBody("bad"), message: "openai answered 400 (bad)" },
  later: { body: errorBody("rate_limit_exceeded"), headers: { "retry-after": "0.02" } },
  thinks: { kind: "reply", message: { reasoning_content: "Hm." } },
  empty: { "no choice": raw(200, { choices: [] }) },
  stops: {
    reasons: ["content_filter", "length"].map((reason) => ({ reason, told: reason })),
    reply: (finishReason, content = "") => ({ kind: "reply", message: { content }, finishReason }),
  },
  refuses: { reply: { kind: "reply", message: { refusal: WORDS } }, words: WORDS },
  wrongCalls: {
    reply: { kind: "reply", message: { tool_calls: wrongCalls } },
    sent: {
      messages: [
        ...[{ role: "system" }, { role: "user" }, { role: "assistant" }],
        { role: "tool", content: expect.stringContaining("INVALID_INPUT") },
        { role: "tool", content: expect.stringContaining("TOOL_NOT_FOUND") },
      ],
    },
  },
  stream: { half: [half], error: { error: { message: QUOTED, code: 529 } } },
};

export const chatFailures: readonly Failure<ChatAnswer>[] = [
  ...[
    { name: "an error that may pass", error: { code: 502, message: QUOTED }, asked: 2, status: 502 },
    { name: "an error of the request", error: { code: 400, message: QUOTED }, asked: 1, status: 400 },
    { name: "an error that is a text", error: QUOTED, asked: 2 },
  ].map(
    ({ name, error, asked, ...status }): Failure<ChatAnswer> => ({
      name: `answers 200 and ${name}`,
      way: "whole",
      steps: [raw(200, { error })],
      asked,
      error: { _tag: "ModelCallError", retryable: asked === 2, ...status },
    }),
  ),
  {
    name: "answers 200 with an error in place of a stream",
    way: "streamed",
    steps: [raw(200, errorBody("content_filter"))],
    asked: 1,
    error: { _tag: "ModelCallError", retryable: false },
  },
  {
    name: "reports an error in a choice",
    way: "whole",
    steps: [raw(200, { choices: [{ error: { code: 400, message: QUOTED } }] })],
    asked: 1,
    error: { _tag: "ModelCallError", status: 400, retryable: false },
  },
  {
    name: "ends a choice with an error",
    way: "streamed",
    steps: [stream(half, delta({}, "error"))],
    asked: 2,
    error: { _tag: "ModelCallError", retryable: true },
  },
];
