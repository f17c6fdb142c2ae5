import { CITY, cityCodec, ran, weather } from "../everyday.ts";
import type { Recording } from "../recording.ts";
import { called, guide, response, said, thought } from "./response.ts";

const call = called("call_w1", "weather", CITY);

export const everyday: readonly Recording[] = [
  {
    feature: "structured output",
    name: "is decoded",
    documented: guide("structured-outputs"),
    model: "gpt-5.1",
    options: { dialect: "openai" },
    agent: { outputCodec: cityCodec },
    requested: { text: { format: { type: "json_schema", strict: true } } },
    replies: [response([said(JSON.stringify(CITY))])],
    outcome: { status: "completed", output: CITY },
  },
  {
    feature: "function calls",
    name: "behind encrypted reasoning",
    documented: guide("function-calling"),
    model: "gpt-5.1",
    options: { dialect: "openai" },
    agent: { tools: [weather] },
    requested: { tools: [{ type: "function", name: "weather" }], include: ["reasoning.encrypted_content"] },
    replies: [response([thought("w1"), call]), response([said("Sun.")])],
    outcome: { status: "completed", output: "Sun." },
    ran,
    sentBack: [
      thought("w1"),
      call,
      { type: "function_call_output", call_id: "call_w1", output: "Sun in Pune." },
      said("Sun."),
    ],
  },
  {
    feature: "usage",
    name: "cached tokens and reasoning",
    documented: guide("prompt-caching"),
    model: "gpt-5.1",
    options: { dialect: "openai" },
    replies: [
      response([said("Hello.")], {
        usage: {
          ...{ input_tokens: 2006, input_tokens_details: { cached_tokens: 1920 } },
          ...{ output_tokens: 300, output_tokens_details: { reasoning_tokens: 250 }, total_tokens: 2306 },
        },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    usage: [{ inputTokens: 2006, outputTokens: 300, cachedInputTokens: 1920, reasoningTokens: 250 }],
    sentBack: [said("Hello.")],
  },
];
