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

/** Each reason to withhold a reply, and the one that isn't a filter. */
const STOPS = [
  ...["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY"].map((reason) => ({
    reason,
    told: "content_filter",
  })),
  { reason: "MAX_TOKENS", told: "length" },
];

const blocked = (blockReason: string) => ({
  promptFeedback: { blockReason },
  usageMetadata: { promptTokenCount: 9 },
});

export const generateContentFailures: readonly Failure<Said>[] = [
  whole("answers 200 with an empty list", "[]", unreadable),
  whole("answers 200 with a list of invalid responses", "[1]", unreadable),
  whole("answers 200 with a retryable error", errorBody(503, "UNAVAILABLE"), {
    asked: 2,
    error: { _tag: "ModelCallError", status: 503, retryable: true },
  }),
  whole("answers 200 with an error of the request", errorBody(400, "INVALID_ARGUMENT"), faulty),
  {
    name: "answers 200 with an error in a list",
    steps: [raw(200, [errorBody(400, "INVALID_ARGUMENT")])],
    ...faulty,
  },
  whole("replies with no candidate", { candidates: [] }, { asked: 2, error: EMPTY }),
  { name: "replies with no content", steps: [{}], asked: 2, error: EMPTY },
  { name: "replies with no text", steps: [""], asked: 2, error: EMPTY },
  { name: "stops for an unknown reason", steps: [{ finishReason: "OTHER" }], asked: 2, error: EMPTY },
  ...STOPS.flatMap(({ reason, told }, index): readonly Failure<Said>[] => {
    // Reasons mean the same in both ways, so only one filter is tested with both.
    const ways = index === 0 || told === "length" ? {} : { way: "whole" as const };
    return [
      {
        name: `stops for ${reason} before it says anything`,
        ...ways,
        steps: [{ finishReason: reason }],
        asked: 1,
        error: { _tag: "ModelBehaviorError", detail: expect.stringContaining(told) },
      },
      {
        name: `stops for ${reason} later`,
        ...ways,
        steps: [{ parts: [{ text: "So far" }], finishReason: reason }],
        asked: 1,
        output: "So far",
        told: { llm_call_end: { finishReason: told } },
      },
    ];
  }),
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
    name: "calls a tool with wrong arguments, and one that there isn't,",
    steps: [
      {
        parts: [
          { functionCall: { id: "c1", name: "add", args: { a: "one" } }, thoughtSignature: "s" },
          { functionCall: { id: "c2", name: "nothing", args: {} } },
        ],
      },
      "I see.",
    ],
    asked: 2,
    output: "I see.",
    sent: {
      contents: [
        {},
        {},
        { parts: [failedCall("c1", "add", "INVALID_INPUT"), failedCall("c2", "nothing", "TOOL_NOT_FOUND")] },
      ],
    },
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

function failedCall(id: string, name: string, code: string) {
  return { functionResponse: { id, name, response: { error: expect.stringContaining(code) } } };
}
