import { expect } from "vitest";
import { type MessagesReply, startFakeMessages } from "../../../../test/fakes/anthropic-answers.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import type { Failure } from "../../../../test/models/failure-table.ts";
import { type ModelApi, QUOTED, raw, stream } from "../../../../test/models/model-api.ts";
import { createAnthropicProvider } from "../../src/index.ts";
import { providerOf } from "./setup.ts";

const errorBody = (type: string) => ({
  type: "error",
  error: { type, message: QUOTED },
  request_id: "req_1",
});

const START = {
  type: "message_start",
  message: { id: "msg_1", role: "assistant", usage: { input_tokens: 1 } },
};
const HALF = [
  START,
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } },
];

const reply = (content: readonly JsonObject[], fields: JsonObject = {}): MessagesReply => ({
  kind: "message",
  content,
  fields,
});

const unreadable = { _tag: "ModelCallError", retryable: true, cause: { name: "AnthropicError" } };

const streams = (name: string, ...events: readonly unknown[]): Failure<MessagesReply> => ({
  name,
  way: "streamed",
  steps: [stream(...events)],
  asked: 2,
  error: unreadable,
});

const stop_details = { type: "refusal", category: "cyber", explanation: "This could do harm." };
const refused = [
  { type: "text", text: "Hello.." },
  { type: "tool_use", id: "toolu_1", name: "add", input: { a: 1 } },
];
const refusal = reply(refused, { stop_reason: "refusal", stop_details });

const calls = [
  { type: "tool_use", id: "toolu_1", name: "add", input: { a: "1" } },
  { type: "tool_use", id: "toolu_2", name: "nothing", input: {} },
];

export const messagesApi: ModelApi<MessagesReply> = {
  start: (steps) => startFakeMessages({ steps }),
  provider: providerOf,
  keyless: ({ baseURL }) => createAnthropicProvider({ baseURL, model: "m" }),
  errorName: "AnthropicError",
  error: {
    body: errorBody("invalid_request_error"),
    message: "anthropic answered 400 (invalid_request_error)",
  },
  later: { body: errorBody("rate_limit_error"), headers: { "retry-after": "0.02" } },
  thinks: reply([{ type: "thinking", thinking: "Hm.", signature: "c2ln" }]),
  empty: { "no block": reply([]) },
  stops: {
    reasons: ["max_tokens", "model_context_window_exceeded"].map((reason) => ({ reason, told: reason })),
    reply: (stop_reason, text) => reply(text === undefined ? [] : [{ type: "text", text }], { stop_reason }),
  },
  refuses: { reply: refusal, words: stop_details.explanation },
  wrongCalls: {
    reply: reply(calls),
    sent: {
      body: {
        messages: [
          { role: "user" },
          { role: "assistant", content: calls },
          {
            role: "user",
            content: [
              { tool_use_id: "toolu_1", is_error: true, content: expect.stringContaining("INVALID_INPUT") },
              { tool_use_id: "toolu_2", is_error: true, content: expect.stringContaining("TOOL_NOT_FOUND") },
            ],
          },
        ],
      },
    },
  },
  unanswered: {
    reply: reply([{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a" } }]),
    tool: "web_search",
  },
  unconfigured: {
    reply: reply([{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls" } }]),
    tool: "bash",
    agent: {
      modelConfig: { providerOptions: { anthropic: { tools: [{ type: "bash_20250124", name: "bash" }] } } },
    },
  },
  stream: { half: HALF, error: errorBody("overloaded_error") },
};

export const messagesFailures: readonly Failure<MessagesReply>[] = [
  {
    name: "answers 200 with a block without a type",
    way: "whole",
    steps: [raw(200, { type: "message", content: [{ text: "Hi" }] })],
    asked: 2,
    error: { ...unreadable, cause: { message: expect.stringMatching(/^anthropic answered with /) } },
  },
  {
    name: "stops for a stop sequence",
    steps: [reply([{ type: "text", text: "So far" }], { stop_reason: "stop_sequence", stop_sequence: "." })],
    asked: 1,
    output: "So far",
    told: { llm_call_end: { finishReason: "stop_sequence" } },
  },
  {
    name: "refuses after a call",
    steps: [refusal],
    asked: 1,
    output: "This could do harm.",
    stored: {
      content: [
        {
          type: "refusal",
          refusal: "This could do harm.",
          // The calls stay unchanged: in a stream, their input is a text.
          providerMetadata: { anthropic: { content: [refused[0], { type: "tool_use", id: "toolu_1" }] } },
        },
      ],
      providerMetadata: { anthropic: { stop_details } },
    },
  },
  {
    name: "refuses without a word",
    steps: [reply([], { stop_reason: "refusal" })],
    asked: 1,
    output: "The model declined to answer.",
  },
  {
    name: "stops within a call's arguments",
    way: "streamed",
    steps: [
      stream(
        START,
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "toolu_1", name: "add", input: {} },
        },
        {
          type: "content_block_delta",
          index: 0,
          delta: { type: "input_json_delta", partial_json: '{"a": 1' },
        },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 9 } },
        { type: "message_stop" },
      ),
      "I see.",
    ],
    asked: 2,
    output: "I see.",
    sent: {
      body: {
        messages: [
          {},
          { content: [{ type: "tool_use", input: { input: '{"a": 1' } }] },
          { content: [{ type: "tool_result", is_error: true }] },
        ],
      },
    },
  },
  streams("reports an error without a type", ...HALF, { type: "error" }),
  streams("sends a delta for an unknown block", START, { type: "content_block_delta", index: 3, delta: {} }),
  streams("sends the end of an unknown block", START, { type: "content_block_stop", index: 3 }),
  streams(
    "begins another message",
    ...HALF,
    { ...START, message: { ...START.message, id: "msg_2" } },
    ...HALF.slice(1),
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ),
  streams("sends a block without a type", START, { type: "content_block_start", index: 0 }),
  streams("ends after the stop reason", ...HALF, {
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
  }),
];
