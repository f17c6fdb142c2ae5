import { expect } from "vitest";
import { EMPTY, type Failure } from "../../../../test/models/failure-table.ts";
import { type ModelApi, QUOTED, raw, stream } from "../../../../test/models/model-api.ts";
import { WAYS } from "../../../../test/models/run.ts";
import { type Said, startGeminiServer } from "./gemini-server.ts";
import { providerOf } from "./setup.ts";

const errorBody = (code: number, status: string, details: readonly unknown[] = []) => ({
  error: { code, status, message: QUOTED, details },
});

const RETRY_INFO = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.02s" };

const piece = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, ...more }],
});

function failedCall(id: string, name: string, code: string) {
  return { functionResponse: { id, name, response: { error: expect.stringContaining(code) } } };
}

export const generateContentApi: ModelApi<Said> = {
  start: async (steps) => {
    const server = await startGeminiServer(steps);
    return { ...server, requests: server.bodies };
  },
  provider: providerOf,
  errorName: "GoogleError",
  error: {
    body: errorBody(400, "INVALID_ARGUMENT"),
    message: "google answered 400 (INVALID_ARGUMENT)",
  },
  later: { body: errorBody(429, "RESOURCE_EXHAUSTED", [RETRY_INFO]) },
  thinks: { parts: [{ text: "Hm.", thought: true }] },
  empty: { "no candidate": raw(200, { candidates: [] }), "no content": {} },
  stops: {
    // Reasons mean the same in both ways, so only one filter is tested with both.
    reasons: [
      { reason: "MAX_TOKENS", told: "length" },
      { reason: "SAFETY", told: "content_filter" },
      ...["RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY"].map((reason) => ({
        reason,
        told: "content_filter",
        way: "whole" as const,
      })),
    ],
    reply: (finishReason, text) => ({
      ...(text === undefined ? {} : { parts: [{ text }] }),
      finishReason,
    }),
  },
  wrongCalls: {
    reply: {
      parts: [
        { functionCall: { id: "c1", name: "add", args: { a: "one" } }, thoughtSignature: "s" },
        { functionCall: { id: "c2", name: "nothing", args: {} } },
      ],
    },
    sent: {
      contents: [
        {},
        {},
        { parts: [failedCall("c1", "add", "INVALID_INPUT"), failedCall("c2", "nothing", "TOOL_NOT_FOUND")] },
      ],
    },
  },
  unconfigured: {
    reply: {
      parts: [{ functionCall: { id: "c1", name: "click_at", args: { x: 1, y: 2 } }, thoughtSignature: "s" }],
    },
    tool: "click_at",
    agent: {
      modelConfig: {
        providerOptions: { google: { tools: [{ computerUse: { environment: "ENVIRONMENT_BROWSER" } }] } },
      },
    },
  },
  unanswered: {
    reply: { parts: [{ executableCode: { language: "PYTHON", code: "1" } }] },
    tool: "code_execution",
  },
  stream: { half: [piece("Half")], error: errorBody(503, "UNAVAILABLE") },
};

const whole = (name: string, body: unknown, expected: Pick<Failure<Said>, "asked" | "error">) => ({
  name,
  way: "whole" as const,
  steps: [raw(200, body)],
  ...expected,
});

const unreadable = {
  asked: 2,
  error: { _tag: "ModelCallError", retryable: true, cause: { name: "GoogleError" } },
};
const faulty = { asked: 1, error: { _tag: "ModelCallError", status: 400, retryable: false } };
const filtered = {
  asked: 1,
  error: { _tag: "ModelBehaviorError", detail: expect.stringContaining("content_filter") },
};

/** A stream with a text that isn't an event. */
const beside = (text: string) => {
  const events = `data: ${JSON.stringify(piece("Half"))}\n\n`;
  return raw(200, `${events}${text}`, { "content-type": "text/event-stream" });
};

const blocked = (blockReason: string) => ({
  promptFeedback: { blockReason },
  usageMetadata: { promptTokenCount: 9 },
});

export const generateContentFailures: readonly Failure<Said>[] = [
  whole("answers 200 with an empty list", "[]", unreadable),
  whole("answers 200 with a list of invalid responses", "[1]", unreadable),
  {
    name: "answers 200 with an error in a list",
    steps: [raw(200, [errorBody(400, "INVALID_ARGUMENT")])],
    ...faulty,
  },
  { name: "stops for an unknown reason", steps: [{ finishReason: "OTHER" }], asked: 2, error: EMPTY },
  ...["SAFETY", "PROHIBITED_CONTENT", "OTHER", "A_NEW_ONE"].map((reason) =>
    whole(`keeps the prompt from the model for ${reason}`, blocked(reason), filtered),
  ),
  {
    name: "keeps the prompt from the model",
    way: "streamed",
    steps: [stream(blocked("SAFETY"))],
    ...filtered,
  },
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"].flatMap((finishReason) =>
    WAYS.map(
      (way): Failure<Said> => ({
        name: `stops for ${finishReason}, whatever it said before,`,
        way,
        steps: [{ parts: [{ text: "Half" }], finishReason }, "Hello."],
        asked: 2,
        output: "Hello.",
        told: { llm_retry: { discardText: way === "streamed" } },
      }),
    ),
  ),
  {
    name: "misses a signature",
    steps: [{ finishReason: "MISSING_THOUGHT_SIGNATURE" }],
    asked: 1,
    error: { _tag: "ModelCallError", retryable: false },
  },
  {
    name: "reports an error in a list, or beside the events of its stream",
    way: "streamed",
    steps: [
      stream([errorBody(503, "UNAVAILABLE")]),
      beside(JSON.stringify([errorBody(503, "UNAVAILABLE")], null, 2)),
    ],
    asked: 2,
    error: {
      _tag: "ModelCallError",
      status: 503,
      cause: { message: "google reported an error (UNAVAILABLE)" },
    },
  },
  {
    name: "reports by a name alone that the request is wrong",
    way: "streamed",
    steps: [beside('{"error": {"status": "FAILED_PRECONDITION"}}')],
    asked: 1,
    error: { _tag: "ModelCallError", retryable: false },
  },
  {
    name: "doesn't say why it would keep the prompt from the model, and is cut",
    way: "streamed",
    steps: [
      stream({ promptFeedback: { blockReason: "BLOCKED_REASON_UNSPECIFIED" } }, piece("Half")),
      "Hello.",
    ],
    asked: 2,
    output: "Hello.",
  },
  {
    name: "goes on behind its finish reason",
    way: "streamed",
    steps: [
      stream(piece("Hi.", { finishReason: "STOP" }), {
        candidates: [{ content: { parts: [{ text: "", thoughtSignature: "late" }] } }],
      }),
    ],
    asked: 1,
    output: "Hi.",
    stored: {
      content: [
        { text: "Hi.", providerMetadata: { google: { pieces: [{}, { thoughtSignature: "late" }] } } },
      ],
    },
  },
];
