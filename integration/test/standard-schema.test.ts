import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createAiSdkProvider } from "@jaf/ai-sdk";
import { createAnthropicProvider } from "@jaf/anthropic";
import { createRunState, createTool, type ModelProvider, run, type StandardSchema } from "@jaf/core";
import { createGoogleProvider } from "@jaf/google";
import { createOpenAIProvider, createOpenAIResponsesProvider } from "@jaf/openai";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { scope, type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";

type Json = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: it doesn't use the context
type AnyProvider = ModelProvider<any>;

const services: readonly (readonly [
  string,
  (settings: { apiKey: string; fetch: typeof fetch }) => AnyProvider,
])[] = [
  ["openai chat", (settings) => createOpenAIProvider({ ...settings, model: "gpt-5-mini" })],
  ["openai responses", (settings) => createOpenAIResponsesProvider({ ...settings, model: "gpt-5-mini" })],
  ["anthropic", (settings) => createAnthropicProvider({ ...settings, model: "claude-sonnet-4-5" })],
  ["google", (settings) => createGoogleProvider({ ...settings, model: "gemini-3-pro-preview" })],
  ["ai-sdk anthropic", (settings) => createAiSdkProvider(createAnthropic(settings)("claude-sonnet-4-5"))],
  ["ai-sdk openai", (settings) => createAiSdkProvider(createOpenAI(settings)("gpt-5-mini"))],
];

interface Schemas {
  readonly parameters: StandardSchema;
  readonly output: StandardSchema;
}

/** The body of the request of an agent with these schemas. */
async function requestOf(
  provider: (typeof services)[number][1],
  { parameters, output }: Schemas,
): Promise<Json> {
  const bodies: Json[] = [];
  const modelProvider = provider({
    apiKey: "key",
    fetch: async (_input, init) => {
      bodies.push(JSON.parse(String(init?.body)) as Json);
      return Response.json({ error: { message: "No." } }, { status: 400 });
    },
  });
  const tools = [createTool({ name: "find", description: "Finds things", parameters, execute: () => "" })];
  const agent = { name: "helper", instructions: "You help.", tools, outputCodec: output };
  const state = createRunState({
    agentName: "helper",
    context: {},
    messages: [{ role: "user", content: "Hi" }],
  });
  const { outcome } = await run(state, { agentRegistry: new Map([["helper", agent]]), modelProvider });
  expect(outcome).toMatchObject({ error: { _tag: "ModelCallError", status: 400 } });
  expect(bodies).toHaveLength(1);
  return bodies[0] ?? {};
}

/** The schemas of the same values. Properties are in alphabetical order, because ArkType sorts them. */
const zod: Schemas = {
  parameters: z.object({
    after: z.object({ page: z.int().min(1) }).optional(),
    kind: z.enum(["book", "film"]).describe("What to find"),
    words: z.array(z.string()),
  }),
  output: z.object({
    found: z.array(z.object({ id: z.string(), stars: z.union([z.number(), z.null()]) })),
    kind: z.enum(["book", "film"]),
    version: z.literal(1),
  }),
};

const libraries: readonly (readonly [string, Schemas])[] = [
  [
    "Valibot",
    {
      parameters: toStandardJsonSchema(
        v.object({
          after: v.optional(v.object({ page: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
          kind: v.pipe(v.picklist(["book", "film"]), v.description("What to find")),
          words: v.array(v.string()),
        }),
      ),
      output: toStandardJsonSchema(
        v.object({
          found: v.array(v.object({ id: v.string(), stars: v.union([v.number(), v.null()]) })),
          kind: v.picklist(["book", "film"]),
          version: v.literal(1),
        }),
      ),
    },
  ],
  [
    "ArkType",
    {
      parameters: type({
        "after?": { page: "number.integer >= 1" },
        kind: type("'book' | 'film'").describe("What to find"),
        words: "string[]",
      }),
      output: type({
        found: type({ id: "string", stars: "number | null" }).array(),
        kind: "'book' | 'film'",
        version: "1",
      }),
    },
  ],
];

describe.each(services)("a request to %s", (_name, provider) => {
  it.each(libraries)("has the same schemas by %s as by zod", async (_library, schemas) => {
    expect(await requestOf(provider, schemas)).toEqual(await requestOf(provider, zod));
  });
});
