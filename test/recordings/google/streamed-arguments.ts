import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Recording } from "../google-draft.ts";
import { event, last, reply } from "./replies.ts";
import { weather } from "./tools.ts";

const documentation =
  "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-function-call-arguments";
const model = "gemini-3.8-flash";
const providerOptions = {
  google: { toolConfig: { functionCallingConfig: { streamFunctionCallArguments: true } } },
};

const order = createTool({
  name: "order",
  description: "Orders dishes",
  parameters: z.object({
    guest: z.string(),
    table: z.number(),
    isTakeaway: z.boolean(),
    note: z.null(),
    dishes: z.array(z.object({ name: z.string(), count: z.number() })),
    "pick up": z.object({ at: z.string() }),
  }),
  execute: (args) => JSON.stringify(args),
});

const ordered =
  '{"guest":"Zoë \\"Z\\"","table":7,"isTakeaway":false,"note":null,"dishes":[{"name":"soup","count":2},{"name":"cake","count":1}],"pick up":{"at":"noon"}}';

/** A piece of the arguments of the open call. */
const piece = (jsonPath: string, value: object, willContinue?: boolean) =>
  event([
    {
      functionCall: {
        partialArgs: [{ jsonPath, ...value, ...(willContinue === undefined ? {} : { willContinue }) }],
        willContinue: true,
      },
    },
  ]);
const text = (jsonPath: string, stringValue: string, willContinue?: boolean) =>
  piece(jsonPath, { stringValue }, willContinue);
const opens = (name: string, id?: string) =>
  event([
    {
      functionCall: { ...(id === undefined ? {} : { id }), name, willContinue: true },
      thoughtSignature: "s-1",
    },
  ]);
const closes = event([{ functionCall: {} }]);
const done = { whole: reply([{ text: "Done." }]), events: [last([{ text: "Done." }])] };

export const streamedArguments: readonly Recording[] = [
  {
    feature: "streamed arguments",
    special: "values of all types, nested, with a text in pieces",
    documentation,
    model,
    agent: { tools: [order], modelConfig: { providerOptions } },
    replies: [
      {
        events: [
          opens("order", "c1"),
          text("$.guest", "Zo", true),
          text("$.guest", 'ë "Z', true),
          text("$.guest", '"'),
          piece("$.table", { numberValue: 7 }),
          piece("$.isTakeaway", { boolValue: false }),
          piece("$.note", { nullValue: "NULL_VALUE" }),
          text("$.dishes[0].name", "soup"),
          piece("$.dishes[0].count", { numberValue: 2 }),
          text("$.dishes[1].name", "cake"),
          piece("$.dishes[1].count", { numberValue: 1 }),
          text("$['pick up'].at", "noon"),
          closes,
          last(),
        ],
      },
      done,
    ],
    output: "Done.",
    askedAgain: [
      { functionCall: { id: "c1", name: "order", args: JSON.parse(ordered) }, thoughtSignature: "s-1" },
    ],
    toldArguments: [ordered],
  },
  {
    feature: "streamed arguments",
    special: "two calls without ids, one behind the other, the second without arguments",
    documentation,
    model,
    agent: { tools: [weather], modelConfig: { providerOptions } },
    replies: [
      {
        events: [
          opens("weather"),
          text("$.city", "Rome"),
          closes,
          event([{ functionCall: { name: "weather", willContinue: true } }]),
          text("$.city", "Oslo"),
          closes,
          last(),
        ],
      },
      done,
    ],
    output: "Done.",
    askedAgain: [
      { functionCall: { name: "weather", args: { city: "Rome" } }, thoughtSignature: "s-1" },
      { functionCall: { name: "weather", args: { city: "Oslo" } } },
    ],
    toldArguments: ['{"city":"Rome"}', '{"city":"Oslo"}'],
  },
  {
    feature: "streamed arguments",
    special: "the length ends the reply in the middle of a call",
    documentation,
    model,
    agent: { tools: [weather], modelConfig: { providerOptions } },
    replies: [
      { events: [opens("weather"), text("$.city", "Ro", true), last([], { finishReason: "MAX_TOKENS" })] },
    ],
    error: { _tag: "ModelCallError", retryable: false },
  },
];
