import type { Json, Recording } from "../recording.ts";
import { weather } from "./function-calls.ts";
import { event, model, replied, reply, results, says } from "./replies.ts";

const documented = "https://ai.google.dev/api/caching#McpServer";

const mcpServers = [
  { name: "forecast", streamableHttpTransport: { url: "https://mcp.example.com/mcp", timeout: "5s" } },
];
const agent = {
  tools: [weather],
  modelConfig: { providerOptions: { google: { tools: [{ mcpServers }] } } },
};

const call = (id: string | undefined, city: string, more: Json = {}): Json => ({
  functionCall: { ...(id === undefined ? {} : { id }), name: "get_forecast", args: { city } },
  ...more,
});
const response = (id: string | undefined, city: string, isError = false): Json => ({
  functionResponse: {
    ...(id === undefined ? {} : { id }),
    name: "get_forecast",
    response: { content: [{ type: "text", text: `Rain in ${city}` }], isError },
  },
});

const text = { text: "It rains." };
const one = [call("m1", "Rome", { thoughtSignature: "s-1" }), response("m1", "Rome"), text];
const several = [
  call(undefined, "Rome", { thoughtSignature: "s-1" }),
  call(undefined, "Oslo"),
  response(undefined, "Rome"),
  response(undefined, "Oslo", true),
  text,
];
const mixed = [
  ...one.slice(0, 2),
  { functionCall: { id: "o1", name: "weather", args: { city: "Bonn" } }, thoughtSignature: "s-2" },
];
const namesake = [
  { functionCall: { id: "m1", name: "weather", args: { city: "Rome" } }, thoughtSignature: "s-1" },
  { functionResponse: { id: "m1", name: "weather", response: { result: "Rain" } } },
  text,
];

const rains = { status: "completed", output: "It rains." } as const;

export const mcp: readonly Recording[] = [
  {
    feature: "MCP",
    name: "Google answers its call in the same reply, whose stream has its finish reason before its last parts",
    documented,
    model: "gemini-3.8-flash",
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
    ],
    requested: { tools: [{ functionDeclarations: [{ name: "weather" }] }, { mcpServers }] },
    outcome: rains,
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "m1", name: "get_forecast", input: { args: { city: "Rome" } } },
          { type: "provider-tool-result", id: "m1", name: "get_forecast" },
          { type: "text", text: "It rains." },
        ],
      },
    ],
    sentBack: [model(...one)],
  },
  {
    feature: "MCP",
    name: "several calls of one name have no ids, and are answered in their order",
    documented,
    model: "gemini-3.8-flash",
    agent,
    replies: [replied([several.slice(0, 2), several.slice(2, 4), several.slice(4)])],
    outcome: rains,
    kept: [
      {
        content: [
          { type: "provider-tool-call", input: { args: { city: "Rome" } } },
          { type: "provider-tool-call", input: { args: { city: "Oslo" } } },
          { type: "provider-tool-result" },
          { type: "provider-tool-result", isError: true },
          { type: "text", text: "It rains." },
        ],
      },
    ],
    sentBack: [model(...several)],
  },
  {
    feature: "MCP",
    name: "a server's tool has the name of the agent's",
    documented,
    model: "gemini-3.8-flash",
    agent,
    replies: [replied(namesake.map((part) => [part]))],
    outcome: rains,
    sentBack: [model(...namesake)],
  },
  {
    feature: "MCP",
    name: "the agent's tool is called behind a call that Google answered",
    documented,
    model: "gemini-3.8-flash",
    agent,
    replies: [replied(mixed.map((part) => [part])), says("Sun.")],
    outcome: { status: "completed", output: "Sun." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", id: "m1" },
          { type: "provider-tool-result", id: "m1" },
          { type: "tool-call", id: "o1" },
        ],
      },
      {},
      {},
    ],
    ran: [["weather", { city: "Bonn" }]],
    sentBack: [
      model(...mixed),
      results({ id: "o1", name: "weather", response: { output: "Sun in Bonn." } }),
      model({ text: "Sun." }),
    ],
  },
];
