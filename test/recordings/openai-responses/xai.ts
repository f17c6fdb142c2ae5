import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Json, Recording } from "../recording.ts";
import { called, openai, response, said, thought } from "./response.ts";

const tools = "https://docs.x.ai/developers/tools/overview";

const xSearch = (call_id: string, further: Json = {}) => ({
  id: "ctc_x1",
  type: "custom_tool_call",
  status: "completed",
  call_id,
  name: "x_keyword_search",
  input: '{"query":"ostrich","limit":5}',
  ...further,
});

const webSearch = {
  id: "ws_x1",
  type: "web_search_call",
  status: "completed",
  action: { type: "search", query: "ostrich", sources: [] },
};

const functionSearch = {
  id: "fc_x1",
  type: "function_call",
  status: "completed",
  call_id: "",
  name: "browse_page",
  arguments: '{"url":"https://birds.example"}',
};

const answer = said("Ostriches are fast.", {
  annotations: [
    { type: "url_citation", url: "https://birds.example", title: "1", start_index: 0, end_index: 9 },
  ],
});

const uncited = said("Fast.", { annotations: [{ type: "url_citation", url: "", title: "" }] });

const weather = createTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sunny in ${city}.`,
});

const weatherCall = called("call_1", "get_weather", { city: "Pune" });

const rolled = {
  ...{ id: "mcp_x1", type: "mcp_call", status: "completed", server_label: "dice" },
  ...{ name: "roll", arguments: "{}", output: "4", error: "" },
};

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 150,
  num_sources_used: 1,
  num_server_side_tools_used: 2,
  server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 1 },
  cost_in_usd_ticks: 5_000_000_000,
};

/** xAI's searches, whose results it keeps for itself. */
export const xaiRecordings: readonly Recording[] = [
  {
    feature: "web search",
    name: "searches with ids of the service's own, and without",
    documented: tools,
    service: "xAI",
    model: "grok-4",
    agent: { tools: [weather], ...openai({ tools: [{ type: "web_search" }, { type: "x_search" }] }) },
    replies: [
      response([webSearch, xSearch("xs_call_1"), xSearch("", { id: "ctc_x2" }), functionSearch, answer], {
        usage,
        service_tier: "default",
      }),
    ],
    outcome: { status: "completed", output: "Ostriches are fast." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "ws_x1", name: "web_search" },
          { type: "provider-tool-result", id: "ws_x1" },
          {
            type: "provider-tool-call",
            id: "ctc_x1",
            name: "x_keyword_search",
            input: { query: "ostrich", limit: 5 },
          },
          { type: "provider-tool-result", id: "ctc_x1" },
          { type: "provider-tool-call", id: "ctc_x2" },
          { type: "provider-tool-result", id: "ctc_x2" },
          { type: "provider-tool-call", id: "fc_x1", name: "browse_page" },
          { type: "provider-tool-result", id: "fc_x1" },
          { type: "text", text: "Ostriches are fast." },
          { type: "source", url: "https://birds.example", ranges: [{ start: 0, end: 9 }] },
        ],
        providerMetadata: { openai: { service_tier: "default", usage } },
      },
    ],
    sentBack: [webSearch, xSearch("xs_call_1"), xSearch("", { id: "ctc_x2" }), functionSearch, answer],
    usage: [{ inputTokens: 100, outputTokens: 50, cachedInputTokens: 40, reasoningTokens: 20, cost: 0.5 }],
  },
  {
    feature: "web search",
    name: "a search before a call of the agent's tool",
    documented: "https://docs.x.ai/developers/tools/advanced-usage",
    service: "xAI",
    model: "grok-4",
    agent: { tools: [weather], ...openai({ tools: [{ type: "x_search" }] }) },
    replies: [response([xSearch("xs_call_1"), weatherCall]), response([answer])],
    outcome: { status: "completed", output: "Ostriches are fast." },
    ran: [["get_weather", { city: "Pune" }]],
    sentBack: [
      ...[xSearch("xs_call_1"), weatherCall],
      { type: "function_call_output", call_id: "call_1", output: "Sunny in Pune." },
      answer,
    ],
  },
  {
    feature: "web search",
    name: "a search behind a call of the agent's tool",
    documented: "https://docs.x.ai/developers/tools/advanced-usage",
    service: "xAI",
    model: "grok-4",
    agent: { tools: [weather], ...openai({ tools: [{ type: "x_search" }] }) },
    replies: [response([weatherCall, xSearch("xs_call_1")]), response([answer])],
    outcome: { status: "completed", output: "Ostriches are fast." },
    ran: [["get_weather", { city: "Pune" }]],
    sentBack: [
      ...[weatherCall, xSearch("xs_call_1")],
      { type: "function_call_output", call_id: "call_1", output: "Sunny in Pune." },
      answer,
    ],
  },
  {
    feature: "web search",
    name: "searches without an answer",
    documented: "https://docs.x.ai/developers/tools/advanced-usage",
    service: "xAI",
    model: "grok-4",
    agent: openai({ tools: [{ type: "x_search" }] }),
    replies: [response([xSearch("xs_call_1")])],
    outcome: { status: "error", error: { _tag: "ModelBehaviorError" }, says: "x_keyword_search" },
  },
  {
    feature: "sources",
    name: "a list beside the answer",
    documented: "https://docs.x.ai/developers/tools/citations",
    service: "xAI",
    model: "grok-4",
    agent: openai({ tools: [{ type: "web_search" }] }),
    replies: [response([webSearch, uncited], { citations: ["https://birds.example"] })],
    outcome: { status: "completed", output: "Fast." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "ws_x1" },
          { type: "provider-tool-result", id: "ws_x1" },
          { type: "text", text: "Fast." },
          { type: "source", id: "source-1", url: "https://birds.example" },
        ],
      },
    ],
    sentBack: [webSearch, uncited],
  },
  {
    feature: "reasoning",
    name: "twice, with empty ids",
    documented: "https://docs.x.ai/developers/model-capabilities/text/reasoning",
    service: "xAI",
    model: "grok-4",
    agent: openai({ tools: [{ type: "web_search" }] }),
    replies: [response([{ ...thought("1"), id: "" }, webSearch, { ...thought("2"), id: "" }, said("Fast.")])],
    outcome: { status: "completed", output: "Fast." },
    sentBack: [{ ...thought("1"), id: "" }, webSearch, { ...thought("2"), id: "" }, said("Fast.")],
  },
  {
    feature: "MCP",
    name: "an error that is empty",
    documented: "https://docs.x.ai/developers/tools/remote-mcp",
    service: "xAI",
    model: "grok-4",
    agent: openai({ tools: [{ type: "mcp", server_label: "dice", server_url: "https://dice.example" }] }),
    replies: [response([rolled, said("Four.")])],
    outcome: { status: "completed", output: "Four." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "mcp_x1", name: "mcp" },
          {
            type: "provider-tool-result",
            id: "mcp_x1",
            output: { status: "completed", output: "4", error: "" },
          },
          { type: "text", text: "Four." },
        ],
      },
    ],
    sentBack: [rolled, said("Four.")],
  },
];
