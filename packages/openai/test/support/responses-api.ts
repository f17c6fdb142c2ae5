import { expect } from "vitest";
import {
  eventText,
  type ResponsesAnswer,
  startFakeResponses,
} from "../../../../test/fakes/openai-responses-steps.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import type { Failure } from "../../../../test/models/failure-table.ts";
import { type ModelApi, QUOTED, raw, stream } from "../../../../test/models/model-api.ts";
import { createOpenAIResponsesProvider } from "../../src/index.ts";
import { functionCall, message, output, reasoning, refusal, responsesOf } from "./responses.ts";

const errorBody = (code: string) => ({
  error: { message: QUOTED, type: "invalid_request_error", param: null, code },
});

const half: JsonObject = {
  type: "response.output_text.delta",
  output_index: 0,
  item_id: "msg_1",
  delta: "Half",
};

const ended = (status: string, response: JsonObject, ...items: readonly JsonObject[]): ResponsesAnswer => ({
  kind: "reply",
  output: items,
  response: { status, ...response },
});

const stopped = (reason: string, item: JsonObject) =>
  ended("incomplete", { incomplete_details: { reason } }, item);

const WORDS = "I can't help with that.";

export const responsesApi: ModelApi<ResponsesAnswer> = {
  start: (steps) => startFakeResponses({ steps }),
  provider: responsesOf,
  keyless: ({ baseURL }) => createOpenAIResponsesProvider({ baseURL, model: "m" }),
  errorName: "OpenAIError",
  error: { body: errorBody("bad"), message: "openai answered 400 (bad)" },
  later: { body: errorBody("rate_limit_exceeded"), headers: { "retry-after": "0.02" } },
  thinks: output(reasoning("rs_1", ["Hm."])),
  empty: {
    "no item": output(),
    "a message without content": output(message("", { content: [] })),
  },
  stops: {
    reasons: ["content_filter", "max_output_tokens"].map((reason) => ({ reason, told: reason })),
    reply: (reason, text) =>
      stopped(reason, text === undefined ? reasoning("rs_1", []) : message(text, { status: "incomplete" })),
  },
  refuses: { reply: output(refusal(WORDS)), words: WORDS },
  wrongCalls: {
    reply: output(functionCall("call_1", "add", '{"a": 1'), functionCall("call_2", "nothing", "{}")),
    sent: {
      input: [
        ...[{ role: "user" }, { type: "function_call" }, { type: "function_call" }],
        { type: "function_call_output", output: expect.stringContaining("INVALID_INPUT") },
        { type: "function_call_output", output: expect.stringContaining("TOOL_NOT_FOUND") },
      ],
    },
  },
  unconfigured: {
    reply: output({
      type: "shell_call",
      id: "sh_1",
      call_id: "call_1",
      status: "completed",
      action: { commands: ["ls"] },
    }),
    tool: "shell",
    agent: {
      modelConfig: {
        providerOptions: { openai: { tools: [{ type: "shell", environment: { type: "local" } }] } },
      },
    },
  },
  stream: { half: [half], error: { type: "error", code: "server_error", message: QUOTED, param: null } },
};

const hello = [reasoning("rs_1", ["Hm."]), message("Hello.", { id: "msg_1" })];

/** A stream without output in its last event. */
const withoutOutput = eventText({ id: "resp_1", status: "completed" }, hello).replace(
  /"output":\[.*\](?=\}\})|"output":\[.*\],?/g,
  '"output":[]',
);

/** The code of a failure decides whether the engine retries. */
const failed = (code: string, asked: number): Failure<ResponsesAnswer> => ({
  name: `says that the response has failed by ${code}`,
  steps: [ended("failed", { error: { code, message: QUOTED } })],
  asked,
  error: {
    _tag: "ModelCallError",
    retryable: asked === 2,
    cause: { name: "OpenAIError", message: `openai reported an error (${code})`, code },
  },
});

const reported = (name: string, event: JsonObject): Failure<ResponsesAnswer> => ({
  name: `${name} in the middle of a stream`,
  way: "streamed",
  steps: [stream(half, event), "Whole."],
  asked: 2,
  output: "Whole.",
  told: { llm_retry: { discardText: true } },
});

export const responsesFailures: readonly Failure<ResponsesAnswer>[] = [
  ...["in_progress", "queued"].map(
    (status): Failure<ResponsesAnswer> => ({
      name: `answers 200 and a response that is ${status}`,
      way: "whole",
      steps: [raw(200, { status, output: [] })],
      asked: 2,
      error: { _tag: "ModelCallError", cause: { message: expect.stringMatching(/^openai answered with/) } },
    }),
  ),
  failed("server_error", 2),
  failed("invalid_prompt", 1),
  {
    name: "reports that the response was cancelled",
    steps: [ended("cancelled", {}, message("Half"))],
    asked: 1,
    error: { _tag: "ModelCallError", retryable: false, cause: { code: "cancelled" } },
  },
  reported("reports an error as an object", { type: "error", error: { type: "server_error", message: "?" } }),
  reported("reports an error without a type", { error: { code: 529, message: QUOTED } }),
  reported("reports that the response has failed", {
    type: "response.failed",
    response: { error: { code: "server_error", message: "?" } },
  }),
  {
    name: "reports an error of the request in the middle of a stream",
    way: "streamed",
    steps: [
      stream(half, { type: "error", code: "context_length_exceeded", message: QUOTED, param: "input" }),
    ],
    asked: 1,
    error: { retryable: false, cause: { code: "context_length_exceeded" } },
  },
  {
    name: "ends a stream with only [DONE]",
    way: "streamed",
    steps: [stream(half, "[DONE]")],
    asked: 2,
    error: { _tag: "ModelCallError", retryable: true, cause: { name: "OpenAIError" } },
  },
  {
    name: "leaves the output out of its last event",
    way: "streamed",
    steps: [{ kind: "raw", headers: { "content-type": "text/event-stream" }, body: withoutOutput }],
    asked: 1,
    output: "Hello.",
  },
  {
    name: "tells no piece before its end",
    way: "streamed",
    steps: [
      stream({
        type: "response.completed",
        response: { id: "resp_1", status: "completed", output: [message("Hello.", { id: "msg_1" })] },
      }),
    ],
    asked: 1,
    output: "Hello.",
    told: { llm_delta: { text: "Hello." } },
  },
];
