import type { JsonObject } from "../../fakes/service.ts";
import type { Recording } from "../google-draft.ts";
import { event, last, reply } from "./replies.ts";
import { weather } from "./tools.ts";

const documentation = "https://ai.google.dev/api/caching#McpServer";
const model = "gemini-3.8-flash";

const mcpServers = [
  { name: "forecast", streamableHttpTransport: { url: "https://mcp.example.com/mcp", timeout: "5s" } },
];
const agent = {
  tools: [weather],
  modelConfig: { providerOptions: { google: { tools: [{ mcpServers }] } } },
};

const call = (id: string, city: string): JsonObject => ({
  functionCall: { ...(id === "" ? {} : { id }), name: "get_forecast", args: { city } },
});
const response = (id: string, city: string): JsonObject => ({
  functionResponse: {
    ...(id === "" ? {} : { id }),
    name: "get_forecast",
    response: { content: [{ type: "text", text: `Rain in ${city}` }], isError: false },
  },
});
const signed = (part: JsonObject, signature: string): JsonObject => ({ ...part, thoughtSignature: signature });

const one = [signed(call("m1", "Rome"), "s-1"), response("m1", "Rome"), { text: "It rains." }];
const unnamed = [
  signed(call("", "Rome"), "s-1"),
  call("", "Oslo"),
  response("", "Rome"),
  response("", "Oslo"),
  { text: "It rains." },
];
const ours: JsonObject = {
  functionCall: { id: "o1", name: "weather", args: { city: "Bonn" } },
  thoughtSignature: "s-2",
};
const mixed = [signed(call("m1", "Rome"), "s-1"), response("m1", "Rome"), ours];

export const mcp: readonly Recording[] = [
  {
    feature: "MCP servers",
    special: "a call that the same reply answers is Google's own; the stream ends before its last parts",
    documentation,
    model,
    agent,
    replies: [
      {
        whole: reply(one),
        events: [
          event(one.slice(0, 1)),
          event(one.slice(1, 2), { finishReason: "STOP" }),
          event(one.slice(2)),
        ],
      },
      { whole: reply([{ text: "Yes." }]), events: [last([{ text: "Yes." }])] },
    ],
    output: "It rains.",
    asked: { tools: [{ functionDeclarations: [{ name: "weather" }] }, { mcpServers }] },
    kept: [
      { type: "provider-tool-call", id: "m1", name: "get_forecast" },
      { type: "provider-tool-result", id: "m1", name: "get_forecast" },
      { type: "text", text: "It rains." },
    ],
    askedAgain: one,
  },
  {
    feature: "MCP servers",
    special: "several calls of one name have no ids, and are answered in their order",
    documentation,
    model,
    agent,
    replies: [
      {
        whole: reply(unnamed),
        events: [event(unnamed.slice(0, 2)), event(unnamed.slice(2, 4)), last(unnamed.slice(4))],
      },
      { whole: reply([{ text: "Yes." }]), events: [last([{ text: "Yes." }])] },
    ],
    output: "It rains.",
    kept: [
      { type: "provider-tool-call", id: "executed_1" },
      { type: "provider-tool-call", id: "executed_2" },
      { type: "provider-tool-result", id: "executed_1" },
      { type: "provider-tool-result", id: "executed_2" },
      { type: "text", text: "It rains." },
    ],
    askedAgain: unnamed,
  },
  {
    feature: "MCP servers",
    special: "the agent's own tool is called behind a call that Google ran",
    documentation,
    model,
    agent,
    replies: [
      {
        whole: reply(mixed),
        events: [event(mixed.slice(0, 1)), event(mixed.slice(1)), last()],
      },
      { whole: reply([{ text: "Sun." }]), events: [last([{ text: "Sun." }])] },
    ],
    output: "Sun.",
    kept: [
      { type: "provider-tool-call", id: "m1" },
      { type: "provider-tool-result", id: "m1" },
      { type: "tool-call", id: "o1" },
    ],
    askedAgain: mixed,
    toldArguments: ['{"city":"Bonn"}'],
  },
];
