import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createAiSdkProvider } from "@jaf/ai-sdk";
import { createAnthropicProvider } from "@jaf/anthropic";
import {
  createRunState,
  createTool,
  fromStandardSchema,
  type ModelProvider,
  run,
  type StandardSchema,
} from "@jaf/core";
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

interface Settings {
  readonly apiKey: string;
  readonly fetch: typeof fetch;
}
type Provider = (settings: Settings) => AnyProvider;

const services: readonly (readonly [string, Provider])[] = [
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
async function requestOf(provider: Provider, { parameters, output }: Schemas): Promise<Json> {
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
    after: z.object({ page: z.number().min(1) }).optional(),
    kind: z.enum(["book", "film"]),
    words: z.array(z.string()).describe("Words of the title"),
  }),
  output: z.object({
    found: z.array(z.object({ id: z.string(), stars: z.number() })),
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
          after: v.optional(v.object({ page: v.pipe(v.number(), v.minValue(1)) })),
          kind: v.picklist(["book", "film"]),
          words: v.pipe(v.array(v.string()), v.description("Words of the title")),
        }),
      ),
      output: toStandardJsonSchema(
        v.object({
          found: v.array(v.object({ id: v.string(), stars: v.number() })),
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
        "after?": { page: "number >= 1" },
        kind: "'book' | 'film'",
        words: type("string[]").describe("Words of the title"),
      }),
      output: type({
        found: type({ id: "string", stars: "number" }).array(),
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

  it.each([
    ["Valibot", toStandardJsonSchema(v.string())],
    ["ArkType", type("string")],
  ])("offers a tool that takes a text by %s as by zod", async (_library, text) => {
    const asked = await requestOf(provider, { parameters: text, output: text });
    expect(asked).toEqual(await requestOf(provider, { parameters: z.string(), output: z.string() }));
  });

  it("has the properties of a schema that refers to itself", async () => {
    const { node } = scope({ node: { id: "string", parts: "node[]" } }).export();
    const asked = JSON.stringify(await requestOf(provider, { parameters: node, output: type("string") }));
    expect(asked).toMatch(/"properties":\{("id":\{"type":"string"\}|"parts":\{"\$ref")/);
    expect(asked).toMatch(/"required":\["id","parts"\]/);
  });

  it("has the JSON Schema that is passed", async () => {
    const jsonSchema = {
      type: "object",
      properties: { id: { type: "string", pattern: "^o-[0-9]+$" }, more: { $ref: "#/$defs/more" } },
      required: ["id"],
      $defs: { more: { type: "array", items: { type: "integer" } } },
    };
    const passed = fromStandardSchema(v.object({ id: v.string() }), { jsonSchema });
    const asked = JSON.stringify(await requestOf(provider, { parameters: passed, output: type("string") }));
    for (const piece of [jsonSchema.properties, jsonSchema.$defs])
      expect(asked).toContain(JSON.stringify(piece));
  });
});

const openai: Provider = (settings) => createOpenAIProvider({ ...settings, model: "gpt-5-mini" });

describe("an output", () => {
  it.each(libraries)("is strict at OpenAI: %s", async (_library, schemas) => {
    expect(await requestOf(openai, schemas)).toMatchObject({
      response_format: {
        json_schema: { strict: true, schema: { properties: { kind: { type: "string" } } } },
      },
    });
  });

  it.each([
    ["zod", z.object({ any: z.unknown() })],
    ["ArkType", type({ any: "unknown" })],
    ["Valibot", toStandardJsonSchema(v.object({ any: v.any() }))],
  ])("isn't strict at OpenAI if it accepts any value: %s", async (_library, output) => {
    const asked = await requestOf(openai, { parameters: output, output });
    expect(asked).toMatchObject({ response_format: { json_schema: { strict: false } } });
  });
});
