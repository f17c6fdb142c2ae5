import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Json, Recording } from "../recording.ts";
import { event, model, replied, reply, results, says } from "./replies.ts";

const documented = "https://ai.google.dev/gemini-api/docs/function-calling";

export const weather = createTool({
  name: "weather",
  description: "Of a city",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Sun in ${city}.`,
});

const forecast = createTool({
  name: "weather",
  description: "Of a city",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Sun in ${city}.`,
  providerOptions: { google: { behavior: "BLOCKING", responseJsonSchema: { type: "string" } } },
});

const order = createTool({
  name: "order",
  description: "Orders dishes",
  parameters: z.looseObject({ guest: z.string() }),
  execute: () => "Ordered.",
});

const call = (id: string | undefined, city: string, more: Json = {}): Json => ({
  functionCall: { ...(id === undefined ? {} : { id }), name: "weather", args: { city } },
  ...more,
});
const result = (id: string | undefined, city: string): Json => ({
  ...(id === undefined ? {} : { id }),
  name: "weather",
  response: { output: `Sun in ${city}.` },
});

const thought: Json = { text: "Both cities.", thought: true };
const parallel = [thought, call("c1", "Rome", { thoughtSignature: "s-1" }), call("c2", "Oslo")];

const thoughtCall = call("c1", "Rome", { thought: true, thoughtSignature: "s-1" });

const ordered = {
  guest: 'Zoë "Z"',
  table: 7,
  isTakeaway: false,
  note: null,
  dishes: [
    { name: "soup", count: 2 },
    { name: "cake", count: 1 },
  ],
  "pick up": { at: "noon" },
};
const orderCall: Json = { functionCall: { id: "c1", name: "order", args: ordered }, thoughtSignature: "s-1" };

const sparse = { guest: "Zoë", tags: [], extras: {}, table: { number: 7, seats: ["a"] }, note: "Hi" };
const sparseCall: Json = {
  functionCall: { id: "c1", name: "order", args: sparse },
  thoughtSignature: "s-1",
};

/** Pieces of the open call's arguments. */
const pieces = (...partialArgs: readonly Json[]): Json =>
  event([{ functionCall: { partialArgs, willContinue: true } }]);
const opens = (name: string, more: Json = {}): Json =>
  event([{ functionCall: { name, ...more, willContinue: true }, thoughtSignature: "s-1" }]);
const closes = event([{ functionCall: {} }]);
const streamedCity = (stringValue: string): Json => pieces({ jsonPath: "$.city", stringValue });

const endsWith = (stringValue: string, more: Json = {}): Json =>
  event([
    { functionCall: { partialArgs: [{ jsonPath: "$.city", stringValue, ...more }], willContinue: false } },
  ]);

const streaming = {
  documented:
    "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-function-call-arguments",
  model: "gemini-3.8-flash",
  providerOptions: {
    google: { toolConfig: { functionCallingConfig: { streamFunctionCallArguments: true } } },
  },
};

export const functionCalls: readonly Recording[] = [
  {
    feature: "function calls",
    name: "two calls at once, the signature on the first",
    documented,
    model: "gemini-3.8-flash",
    agent: { tools: [weather] },
    replies: [replied([[thought], parallel.slice(1, 2), parallel.slice(2)]), says("Sun.")],
    requested: { tools: [{ functionDeclarations: [{ name: "weather", description: "Of a city" }] }] },
    outcome: { status: "completed", output: "Sun." },
    kept: [
      {
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "weather", arguments: '{"city":"Rome"}' },
            providerMetadata: { google: { thoughtSignature: "s-1" } },
          },
          { id: "c2", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
      {},
      {},
      { content: "Sun." },
    ],
    ran: [
      ["weather", { city: "Rome" }],
      ["weather", { city: "Oslo" }],
    ],
    sentBack: [
      model(...parallel),
      results(result("c1", "Rome"), result("c2", "Oslo")),
      model({ text: "Sun." }),
    ],
  },
  {
    feature: "function calls",
    name: "a call is among the thoughts",
    documented: "https://ai.google.dev/api/caching#Part",
    model: "gemini-3.8-flash",
    agent: { tools: [weather] },
    replies: [replied([[thought], [thoughtCall]]), says("Sun.")],
    outcome: { status: "completed", output: "Sun." },
    ran: [["weather", { city: "Rome" }]],
    sentBack: [model(thought, thoughtCall), results(result("c1", "Rome")), model({ text: "Sun." })],
  },
  {
    feature: "tool options",
    name: "fields of Google's in a tool's declaration",
    documented: "https://ai.google.dev/api/caching#FunctionDeclaration",
    model: "gemini-3.8-flash",
    agent: { tools: [forecast] },
    replies: [replied([[call("c1", "Rome", { thoughtSignature: "s-1" })]]), says("Sun.")],
    requested: {
      tools: [
        {
          functionDeclarations: [
            { name: "weather", behavior: "BLOCKING", responseJsonSchema: { type: "string" } },
          ],
        },
      ],
    },
    outcome: { status: "completed", output: "Sun." },
    ran: [["weather", { city: "Rome" }]],
    sentBack: [
      model(call("c1", "Rome", { thoughtSignature: "s-1" })),
      results(result("c1", "Rome")),
      model({ text: "Sun." }),
    ],
  },
  {
    feature: "streamed arguments",
    name: "values of all types, nested, one text in pieces",
    documented: streaming.documented,
    model: streaming.model,
    agent: { tools: [order], modelConfig: { providerOptions: streaming.providerOptions } },
    replies: [
      {
        whole: reply([orderCall]),
        events: [
          opens("order", { id: "c1" }),
          pieces({ jsonPath: "$.guest", stringValue: "Zo", willContinue: true }),
          pieces({ jsonPath: "$.guest", stringValue: 'ë "Z', willContinue: true }),
          pieces(
            { jsonPath: "$.guest", stringValue: '"', willContinue: false },
            { jsonPath: "$.table", numberValue: 7 },
            { jsonPath: "$.isTakeaway", boolValue: false },
          ),
          pieces({ jsonPath: "$.note", nullValue: "NULL_VALUE" }),
          pieces({ jsonPath: "$.dishes[0].name", stringValue: "soup" }),
          pieces({ jsonPath: "$.dishes[0].count", numberValue: 2 }),
          pieces({ jsonPath: "$.dishes[1].name", stringValue: "cake" }),
          pieces({ jsonPath: "$.dishes[1].count", numberValue: 1 }),
          pieces({ jsonPath: "$['pick up'].at", stringValue: "noon" }),
          closes,
          reply([]),
        ],
      },
      says("Done."),
    ],
    requested: { toolConfig: { functionCallingConfig: { streamFunctionCallArguments: true } } },
    outcome: { status: "completed", output: "Done." },
    ran: [["order", ordered]],
    sentBack: [
      model(orderCall),
      results({ id: "c1", name: "order", response: { output: "Ordered." } }),
      model({ text: "Done." }),
    ],
  },
  {
    feature: "streamed arguments",
    name: "two calls without ids, one behind the other",
    documented: streaming.documented,
    model: "gemini-2.5-flash",
    agent: { tools: [weather], modelConfig: { providerOptions: streaming.providerOptions } },
    replies: [
      {
        whole: reply([call(undefined, "Rome", { thoughtSignature: "s-1" }), call(undefined, "Oslo")]),
        events: [
          opens("weather"),
          streamedCity("Rome"),
          closes,
          event([{ functionCall: { name: "weather", willContinue: true } }]),
          streamedCity("Oslo"),
          event([{ functionCall: {} }], { finishReason: "STOP" }),
        ],
      },
      says("Sun."),
    ],
    outcome: { status: "completed", output: "Sun." },
    ran: [
      ["weather", { city: "Rome" }],
      ["weather", { city: "Oslo" }],
    ],
    sentBack: [
      model(call(undefined, "Rome", { thoughtSignature: "s-1" }), call(undefined, "Oslo")),
      results(result(undefined, "Rome"), result(undefined, "Oslo")),
      model({ text: "Sun." }),
    ],
  },
  {
    feature: "streamed arguments",
    name: "empty lists and objects, a list's end, a place that only opens; a second end",
    documented: streaming.documented,
    model: streaming.model,
    agent: { tools: [order], modelConfig: { providerOptions: streaming.providerOptions } },
    replies: [
      {
        whole: reply([sparseCall]),
        events: [
          opens("order", { id: "c1" }),
          pieces({ jsonPath: "$.guest", stringValue: "Zoë" }),
          pieces({ jsonPath: "$.tags[]" }),
          pieces({ jsonPath: "$.extras" }),
          pieces({ jsonPath: "$.table", willContinue: true }),
          pieces({ jsonPath: "$.table.number", numberValue: 7 }),
          pieces({ jsonPath: "$.table.seats[]", willContinue: true }),
          pieces({ jsonPath: "$.table.seats[0]", stringValue: "a" }),
          pieces({ jsonPath: "$.table.seats[]" }),
          pieces({ jsonPath: "$.note", willContinue: true }),
          pieces({ jsonPath: "$.note", stringValue: "", willContinue: true }),
          pieces({ jsonPath: "$.note", stringValue: "Hi" }),
          closes,
          event([{ functionCall: { willContinue: false } }]),
          reply([]),
        ],
      },
      says("Done."),
    ],
    outcome: { status: "completed", output: "Done." },
    ran: [["order", sparse]],
    sentBack: [
      model(sparseCall),
      results({ id: "c1", name: "order", response: { output: "Ordered." } }),
      model({ text: "Done." }),
    ],
  },
  {
    feature: "function calls",
    name: "arguments as a JSON text",
    documented,
    model: "gemini-3.8-flash",
    agent: { tools: [weather] },
    replies: [
      replied([
        [{ functionCall: { id: "c1", name: "weather", args: '{"city":"Rome"}' }, thoughtSignature: "s-1" }],
      ]),
      says("Sun."),
    ],
    outcome: { status: "completed", output: "Sun." },
    ran: [["weather", { city: "Rome" }]],
    sentBack: [
      model(call("c1", "Rome", { thoughtSignature: "s-1" })),
      results(result("c1", "Rome")),
      model({ text: "Sun." }),
    ],
  },
  {
    feature: "streamed arguments",
    name: "the end of a call is told again with its signature; another one ends in the middle of its text",
    documented: streaming.documented,
    model: streaming.model,
    agent: { tools: [weather], modelConfig: { providerOptions: streaming.providerOptions } },
    replies: [
      {
        whole: reply([call("c1", "Rome", { thoughtSignature: "s-1" }), call("c2", "Oslo")]),
        events: [
          event([{ functionCall: { id: "c1", name: "weather", willContinue: true } }]),
          endsWith("Rome"),
          event([{ functionCall: {}, thoughtSignature: "s-1" }]),
          event([{ functionCall: { id: "c2", name: "weather", willContinue: true } }]),
          endsWith("Oslo", { willContinue: true }),
          reply([]),
        ],
      },
      says("Sun."),
    ],
    outcome: { status: "completed", output: "Sun." },
    ran: [
      ["weather", { city: "Rome" }],
      ["weather", { city: "Oslo" }],
    ],
    sentBack: [
      model(call("c1", "Rome", { thoughtSignature: "s-1" }), call("c2", "Oslo")),
      results(result("c1", "Rome"), result("c2", "Oslo")),
      model({ text: "Sun." }),
    ],
  },
];
