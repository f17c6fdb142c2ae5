import type { Recording } from "../recording.ts";
import { answered, assistant, found, recorded, serverUse, text, use } from "./message.ts";
import { agentWith, tool } from "./tools.ts";

const call = use("weather:0", "weather", { city: "Pune" });
const weather = agentWith({}, [tool("weather", "Sunny.")]);
const thinks = { ...weather, modelConfig: { reasoningEffort: "low" } } as const;
const ran = [["weather", { city: "Pune" }]] as const;

const unsigned = (
  service: string,
  model: string,
  documented: string,
  thinking: Readonly<Record<string, string>>,
): Recording => {
  const thought = { type: "thinking", ...thinking };
  return {
    feature: "reasoning",
    name: `of ${service} has no signature`,
    documented,
    model,
    service,
    agent: thinks,
    replies: [recorded([thought, call]), recorded([thought, text("It is sunny.")])],
    requested: { thinking: { type: "enabled" } },
    outcome: { status: "completed", output: "It is sunny." },
    ran,
    sentBack: [
      assistant(thought, call),
      answered("weather:0", "Sunny."),
      assistant(thought, text("It is sunny.")),
    ],
    sentBeside: { thinking: { type: "enabled" } },
  };
};

const page = [{ type: "text", text: "Pune: sunny" }];
const searched = [
  serverUse("call_s1", "web_search_prime", { query: "Pune" }),
  { ...found("web", "call_s1", page), type: "tool_result" },
  text("It is sunny."),
];

const plain = recorded([text("Sunny.")]);

/** Other services behind Anthropic's API. */
export const compatible: readonly Recording[] = [
  unsigned("Moonshot", "kimi-k2-thinking", "https://platform.moonshot.ai/docs/guide/agent-support", {
    ...{ thinking: "I look.", signature: "" },
  }),
  unsigned(
    "Alibaba",
    "qwen3-max",
    "https://www.alibabacloud.com/help/en/model-studio/anthropic-api-messages",
    {
      ...{ thinking: "I look.", signature: "" },
    },
  ),
  {
    feature: "answered calls",
    name: "run at the service, although the agent has a tool of the name",
    documented: "https://docs.claude.com/en/api/messages",
    model: "glm-4.6",
    service: "Z.ai",
    agent: weather,
    replies: [
      recorded([call, { ...found("web", "weather:0", page), type: "tool_result" }, text("It is sunny.")]),
    ],
    outcome: { status: "completed", output: "It is sunny." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "weather:0", name: "weather", input: { city: "Pune" } },
          { type: "provider-tool-result", id: "weather:0", name: "weather", output: page },
          { type: "text", text: "It is sunny." },
        ],
      },
    ] as never,
    sentBack: [
      assistant(call, { ...found("web", "weather:0", page), type: "tool_result" }, text("It is sunny.")),
    ],
  },
  {
    feature: "web search",
    name: "is answered in a block of another type",
    documented: "https://docs.z.ai/scenario-example/develop-tools/claude",
    model: "glm-4.6",
    service: "Z.ai",
    replies: [recorded(searched)],
    outcome: { status: "completed", output: "It is sunny." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "call_s1", name: "web_search_prime" },
          { type: "provider-tool-result", id: "call_s1", name: "web_search_prime", output: page },
          { type: "text", text: "It is sunny." },
        ],
      },
    ],
    sentBack: [assistant(...searched)],
  },
  {
    feature: "text",
    name: "is the content itself",
    documented: "https://platform.minimax.io/docs/api-reference/text-anthropic-api",
    model: "MiniMax-M2",
    service: "MiniMax",
    replies: [{ ...plain, whole: { ...plain.whole, content: "Sunny." } }],
    outcome: { status: "completed", output: "Sunny." },
    sentBack: [assistant(text("Sunny."))],
  },
  {
    feature: "usage",
    name: "has what the call cost",
    documented: "https://openrouter.ai/docs/api/api-reference/anthropic-messages/create-messages",
    model: "anthropic/claude-sonnet-4.6",
    service: "OpenRouter",
    replies: [recorded([text("Sunny.")], { usage: { input_tokens: 100, output_tokens: 20, cost: 0.0006 } })],
    outcome: { status: "completed", output: "Sunny." },
    usage: [{ inputTokens: 100, outputTokens: 20, cost: 0.0006 }],
  },
];
