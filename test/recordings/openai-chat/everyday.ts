import { CITY, cityCodec, ran, weather } from "../everyday.ts";
import type { Recording } from "../recording.ts";
import { calling, chatReply, saying } from "./chat-reply.ts";

const text = JSON.stringify(CITY);
const call = calling("call_w1", "weather", CITY);
const deltas = [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, ...call, function: { name: "weather", arguments: "" } }],
  },
  { tool_calls: [{ index: 0, function: { arguments: text } }] },
];
const done = chatReply({ message: { role: "assistant", content: "Sun." }, deltas: saying("Sun.") });
const answered = { role: "tool", tool_call_id: "call_w1", content: "Sun in Pune." };

export const everyday: readonly Recording[] = [
  {
    feature: "structured output",
    name: "is decoded",
    documented: "https://developers.openai.com/api/docs/guides/structured-outputs",
    model: "gpt-5.1",
    options: { dialect: "openai" },
    agent: { outputCodec: cityCodec },
    requested: { response_format: { type: "json_schema", json_schema: { strict: true } } },
    replies: [chatReply({ message: { role: "assistant", content: text }, deltas: saying(text) })],
    outcome: { status: "completed", output: CITY },
  },
  {
    feature: "function calls",
    name: "a call and its result",
    documented: "https://developers.openai.com/api/docs/guides/function-calling",
    model: "gpt-5.1",
    options: { dialect: "openai" },
    agent: { tools: [weather] },
    requested: { tools: [{ type: "function", function: { name: "weather" } }] },
    replies: [
      chatReply({
        message: { role: "assistant", content: null, tool_calls: [call] },
        deltas,
        finish: "tool_calls",
      }),
      done,
    ],
    outcome: { status: "completed", output: "Sun." },
    ran,
    sentBack: [
      { role: "assistant", content: null, tool_calls: [call] },
      answered,
      { role: "assistant", content: "Sun." },
    ],
  },
  {
    feature: "reasoning",
    name: "thinking before a call, which the endpoint wants back",
    documented: "https://api-docs.deepseek.com/guides/thinking_mode",
    service: "DeepSeek",
    model: "deepseek-reasoner",
    options: { dialect: "deepseek" },
    agent: { tools: [weather] },
    replies: [
      chatReply({
        message: { role: "assistant", content: null, reasoning_content: "Where?", tool_calls: [call] },
        deltas: [{ role: "assistant", reasoning_content: "Whe" }, { reasoning_content: "re?" }, ...deltas],
        finish: "tool_calls",
      }),
      done,
    ],
    outcome: { status: "completed", output: "Sun." },
    ran,
    sentBack: [
      { role: "assistant", content: null, reasoning_content: "Where?", tool_calls: [call] },
      answered,
      // The endpoint refuses replies without thinking.
      { role: "assistant", content: "Sun.", reasoning_content: " " },
    ],
  },
];
