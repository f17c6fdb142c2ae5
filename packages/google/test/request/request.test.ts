import { createTool, run } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createGoogleProvider, type GoogleProviderOptions } from "../../src/index.ts";
import { type AnyAgent, asking, configOf, gemini, MODEL, providerOf, rich, says } from "../support/setup.ts";

interface Asked {
  readonly agent?: Partial<AnyAgent>;
  readonly options?: GoogleProviderOptions;
}

/** The request body for a conversation. */
async function bodyOf(messages: readonly RichMessage[], { agent = {}, options = {} }: Asked = {}) {
  const server = await gemini(["Ok."]);
  const { config } = configOf(providerOf(server, options), { instructions: "", ...agent });
  await run<unknown, unknown>(asking(messages), config);
  expect(server.refusals).toEqual([]);
  return server.bodies[0] ?? {};
}

const user = (content: RichMessage["content"]): RichMessage => ({ role: "user", content });
const own = { provider: "google", api: "generate-content", model: MODEL };
const call = (id: string, name = "look_up", input = "{}") => ({
  id,
  type: "function" as const,
  function: { name, arguments: input },
});
const OLD = "gemini-2.5-pro";
const SKIP = "skip_thought_signature_validator";

describe("a conversation", () => {
  it("has instructions and leading system messages at the top, and later ones as user messages", async () => {
    const body = await bodyOf(
      [
        { role: "system", content: "From an import." },
        user("Hi"),
        { role: "assistant", content: "Ho" },
        { role: "developer", content: "Be brief." },
        user("And?"),
      ],
      { agent: { instructions: "You help." } },
    );
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: "You help.\n\nFrom an import." }] },
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Ho" }] },
        { role: "user", parts: [{ text: "Be brief." }, { text: "And?" }] },
      ],
    });
  });

  it("has the instructions in the first user message with Gemma, which takes no others", async () => {
    const body = await bodyOf([user("Hi")], {
      agent: { instructions: "You help." },
      options: { model: "gemma-3-27b-it" },
    });
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "You help." }, { text: "Hi" }] }] });
  });

  it("always begins with a user message", async () => {
    const body = await bodyOf([{ role: "assistant", content: "Welcome!" }, user("Hi")]);
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "…" }] },
      { role: "model", parts: [{ text: "Welcome!" }] },
      { role: "user", parts: [{ text: "Hi" }] },
    ]);
  });

  it("is accepted if it is empty", async () => {
    expect((await bodyOf([]))["contents"]).toEqual([{ role: "user", parts: [{ text: "…" }] }]);
  });

  it("has a user's media as bytes or URL, and text files as text", async () => {
    const media = (more: object) => ({ type: "media", ...more }) as never;
    const body = await bodyOf([
      user([
        { type: "text", text: "Look:" },
        { type: "text", text: "" },
        media({ mediaType: "image/png", data: Uint8Array.of(1, 2) }),
        media({ mediaType: "application/pdf", url: "data:application/pdf;base64,JVBE" }),
        media({ mediaType: "image/svg+xml", url: "data:image/svg+xml,%3Csvg%2F%3E" }),
        media({ mediaType: "video/mp4", url: new URL("https://a.example/v.mp4") }),
        media({ mediaType: "audio/mp3", fileId: "https://a.example/files/1" }),
        media({ mediaType: "text/csv", data: "YSxi" }),
        media({ mediaType: "image/gif", filename: "lost.gif" }),
        { type: "image_url", image_url: { url: "data:image/webp;base64,AAAA" } },
      ]),
    ]);
    expect(body["contents"]).toEqual([
      {
        role: "user",
        parts: [
          { text: "Look:" },
          { inlineData: { mimeType: "image/png", data: "AQI=" } },
          { inlineData: { mimeType: "application/pdf", data: "JVBE" } },
          { inlineData: { mimeType: "image/svg+xml", data: Buffer.from("<svg/>").toString("base64") } },
          { fileData: { mimeType: "video/mp4", fileUri: "https://a.example/v.mp4" } },
          { fileData: { mimeType: "audio/mp3", fileUri: "https://a.example/files/1" } },
          { text: "a,b" },
          { text: "[image/gif lost.gif]" },
          { inlineData: { mimeType: "image/webp", data: "AAAA" } },
        ],
      },
    ]);
  });

  const withImage: readonly RichMessage[] = [
    user("Hi"),
    { role: "assistant", content: "", tool_calls: [call("a"), call("b")] },
    {
      role: "tool",
      tool_call_id: "a",
      content: [
        { type: "text", text: "A chart" },
        { type: "media", mediaType: "image/png", data: Uint8Array.of(1) },
        { type: "media", mediaType: "audio/wav", data: Uint8Array.of(2) },
      ],
    },
    { role: "tool", tool_call_id: "b", content: "none" },
  ];

  it("has a tool's media in its result, and unsupported ones after the step", async () => {
    const body = await bodyOf(withImage);
    expect(body["contents"]).toMatchObject([
      {},
      {},
      {
        parts: [
          {
            functionResponse: {
              id: "a",
              response: { output: "A chart" },
              parts: [{ inlineData: { mimeType: "image/png", data: "AQ==" } }],
            },
          },
          { functionResponse: { id: "b", response: { output: "none" } } },
          { text: "What look_up returned:" },
          { inlineData: { mimeType: "audio/wav", data: "Ag==" } },
        ],
      },
    ]);
  });

  it("has all of a tool's media after the step for models without media in results", async () => {
    const body = await bodyOf(withImage, { options: { model: OLD } });
    const [, , results] = body["contents"] as readonly { readonly parts: readonly object[] }[];
    expect(results?.parts.map((part) => Object.keys(part)[0])).toEqual([
      ...["functionResponse", "functionResponse", "text", "inlineData", "inlineData"],
    ]);
    expect(JSON.stringify(results?.parts[0])).not.toContain("inlineData");
  });
});

describe("an assistant message of", () => {
  const conversation = (more: Partial<RichMessage>): readonly RichMessage[] => [
    user("Hi"),
    { role: "assistant", content: null, ...more } as RichMessage,
    ...(more.tool_calls ?? []).map(
      ({ id }): RichMessage => ({ role: "tool", tool_call_id: id, content: "done" }),
    ),
    user("And?"),
  ];
  const modelParts = async (more: Partial<RichMessage>, asked: Asked = {}) => {
    const contents = (await bodyOf(conversation(more), asked))["contents"] as readonly { parts: unknown }[];
    return contents[1]?.parts;
  };
  const foreign = {
    content: [
      { type: "reasoning", text: "I think.", providerMetadata: { google: { thoughtSignature: "OPAQUE" } } },
      { type: "text", text: "Said.", providerMetadata: { google: { thoughtSignature: "OPAQUE" } } },
      { type: "provider-tool-call", id: "x", name: "search", input: "OPAQUE" },
      { type: "media", mediaType: "image/png", data: "OPAQUE" },
      { type: "refusal", refusal: "No." },
      { type: "gemini", part: { text: "OPAQUE" } },
    ],
    tool_calls: [
      {
        ...call("a", "look_up", '{"b":1,"a":2}'),
        providerMetadata: { google: { thoughtSignature: "OPAQUE" } },
      },
      call("b", "look_up", "not JSON"),
      { id: "c", type: "custom" as const, custom: { name: "patch", input: "*** Begin" } },
    ],
  };
  const said = { text: "Said.\nNo.\n[image/png]" };
  const args = [{ b: 1, a: 2 }, { input: "not JSON" }, { input: "*** Begin" }];
  const called = args.map((each, at) => ({
    functionCall: { id: "abc"[at], name: at === 2 ? "patch" : "look_up", args: each },
  }));

  it.each([
    ["an unknown origin", undefined],
    ["another provider", { ...own, provider: "openai" }],
    ["another API", { ...own, api: "chat" }],
    ["another model", { ...own, model: "gemini-3-flash-preview" }],
  ])("%s is sent as text and calls, with Google's placeholder signature", async (_, origin) => {
    const more = origin === undefined ? foreign : { ...foreign, origin };
    expect(await modelParts(more)).toEqual([
      said,
      { ...called[0], thoughtSignature: SKIP },
      ...called.slice(1),
    ]);
    expect(await modelParts(more, { options: { model: OLD } })).toEqual([said, ...called]);
  });

  it("another model is sent to Vertex AI without the ids of its calls, which Vertex AI refuses", async () => {
    let body: Readonly<Record<string, unknown>> = {};
    const fetch: typeof globalThis.fetch = async (_, init) => {
      body = JSON.parse(String(init?.body));
      return Response.json({ candidates: [{ content: { parts: [{ text: "Ok." }] }, finishReason: "STOP" }] });
    };
    const baseURL = "https://aiplatform.googleapis.com/v1/publishers/google";
    const provider = createGoogleProvider({ apiKey: "k", model: MODEL, fetch, baseURL });
    await run<unknown, unknown>(asking(conversation(foreign)), configOf(provider, {}).config);
    const sent = JSON.stringify(body);
    expect(sent).toContain('"functionCall":{"name":"look_up"');
    expect(sent).toContain('"functionResponse":{"name":"look_up"');
    expect(sent).not.toContain('"id":');
  });

  it("another model is sent without calls that its service ran after an approval", async () => {
    const wiki = { ...call("m1", "wiki.search"), providerExecuted: true };
    const body = await bodyOf([
      user("Go"),
      { role: "assistant", content: "I search.", tool_calls: [wiki] },
      { role: "tool", tool_call_id: "m1", content: '{"status":"success","data":{"approved":true}}' },
      { role: "assistant", content: "Found." },
      user("And?"),
    ]);
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "Go" }] },
      { role: "model", parts: [{ text: "I search." }, { text: "Found." }] },
      { role: "user", parts: [{ text: "And?" }] },
    ]);
  });

  it("another model can have its readable reasoning before its text", async () => {
    expect(await modelParts(foreign, { options: { foreignReasoning: "text" } })).toMatchObject([
      { text: "I think.\n\nSaid.\nNo.\n[image/png]" },
      {},
      {},
      {},
    ]);
  });

  it("this model without its first call has the placeholder signature on the next call", async () => {
    const more = {
      origin: own,
      content: [{ type: "tool-call", id: "b" }],
      tool_calls: [call("b")],
    };
    expect(await modelParts(more)).toEqual([
      { functionCall: { id: "b", name: "look_up", args: {} }, thoughtSignature: SKIP },
    ]);
  });

  it("this model with a changed text is one text without signatures", async () => {
    const pieces = [{ length: 3 }, { length: 2, thoughtSignature: "OPAQUE" }];
    const part = { type: "text", text: "Something else", providerMetadata: { google: { pieces } } };
    expect(await modelParts({ origin: own, content: [part] })).toEqual([{ text: "Something else" }]);
  });

  it("this model with an id that the engine changed gets its original id", async () => {
    const more = {
      origin: own,
      content: "",
      tool_calls: [
        { ...call("x"), providerMetadata: { google: { thoughtSignature: SKIP } } },
        { ...call("x_2"), providerMetadata: { jaf: { id: "y" } } },
      ],
    };
    expect(await modelParts(more)).toMatchObject([
      { functionCall: { id: "x" } },
      { functionCall: { id: "y" } },
    ]);
  });

  it("this model with only thoughts isn't sent", async () => {
    const content = [{ type: "reasoning", text: "Hm." }];
    const body = await bodyOf([user("Hi"), { role: "assistant", content, origin: own }, user("And?")]);
    expect(body["contents"]).toEqual([{ role: "user", parts: [{ text: "Hi" }, { text: "And?" }] }]);
  });
});

describe("tools", () => {
  const any = { description: "d", execute: async () => "done" };

  it("with any names and schemas are declared, and found again", async () => {
    const names = ["files.read", "files_read", "7up", "日本", "x".repeat(80)];
    const tools = names.map((name) => createTool({ ...any, name, parameters: z.object({}) }));
    const server = await gemini([
      (body) => {
        const [{ functionDeclarations: declared }] = body["tools"] as never as [
          { readonly functionDeclarations: readonly { readonly name: string }[] },
        ];
        const functionCalls = declared.map(({ name }, at) => ({
          functionCall: { id: `c${at}`, name, args: {} },
          ...(at === 0 ? { thoughtSignature: "s" } : {}),
        }));
        return { parts: functionCalls };
      },
      "Done.",
    ]);
    const result = await run<unknown, unknown>(says("Go"), configOf(providerOf(server), { tools }).config);
    expect(server.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "Done." });
    expect(rich(result)[1]?.tool_calls?.map((each) => each["function"])).toEqual(
      names.map((name) => ({ name, arguments: "{}" })),
    );
    expect(server.bodies[0]?.["tools"]).toMatchObject([
      {
        functionDeclarations: ["files_read_2", "files_read", "_7up", "__", "x".repeat(64)].map((name) => ({
          name,
        })),
      },
    ]);
  });

  it("with a union, any, text or empty schema are functions with an object", async () => {
    const inputs: unknown[] = [];
    const choice = z.discriminatedUnion("action", [
      z.object({ action: z.literal("add"), text: z.string() }),
      z.object({ action: z.literal("list") }),
    ]);
    const tools = [
      createTool({ ...any, name: "notes", parameters: choice }),
      createTool({ ...any, name: "any", parameters: z.record(z.string(), z.unknown()) }),
      createTool({ ...any, name: "kind", parameters: z.object({ kind: z.literal("a"), const: z.string() }) }),
      createTool({ ...any, name: "none", parameters: z.object({}) }),
      createTool({
        ...any,
        name: "patch",
        parameters: z.string(),
        execute: async (input) => String(inputs.push(input)),
      }),
    ];
    const patch = {
      functionCall: { id: "p", name: "patch", args: { input: "*** Begin" } },
      thoughtSignature: "s",
    };
    const server = await gemini([{ parts: [patch] }, "Done."]);
    await run<unknown, unknown>(says("Go"), configOf(providerOf(server), { tools }).config);
    expect(server.refusals).toEqual([]);
    expect(inputs).toEqual(["*** Begin"]);
    expect(server.bodies[1]).toMatchObject({ contents: [{}, { parts: [patch] }, {}] });
    const offered: unknown = server.bodies[0]?.["tools"];
    const [declared] = offered as readonly { readonly functionDeclarations: readonly object[] }[];
    const declarations = declared?.functionDeclarations ?? [];
    expect(declarations).toMatchObject([
      {
        name: "notes",
        parametersJsonSchema: { properties: { action: { enum: ["add", "list"] } }, required: ["action"] },
      },
      { name: "any", parametersJsonSchema: { type: "object", additionalProperties: {} } },
      {
        name: "kind",
        parametersJsonSchema: {
          properties: { kind: { type: "string", enum: ["a"] }, const: { type: "string" } },
        },
      },
      { name: "none" },
      { name: "patch", parametersJsonSchema: { properties: { input: { type: "string" } } } },
    ]);
    expect(declarations[3]).not.toHaveProperty("parametersJsonSchema");
  });

  it.each([
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [{ tool: "look.up" }, { mode: "ANY", allowedFunctionNames: ["look_up"] }],
  ] as const)("are chosen by the agent's setting: %j", async (toolChoice, functionCallingConfig) => {
    const tools = [createTool({ ...any, name: "look.up", parameters: z.object({ a: z.string() }) })];
    const google = { toolConfig: { retrievalConfig: { languageCode: "en" } } };
    const body = await bodyOf([user("Hi")], {
      agent: { tools, modelConfig: { toolChoice, providerOptions: { google } } },
    });
    expect(body["toolConfig"]).toEqual({ functionCallingConfig, retrievalConfig: { languageCode: "en" } });
  });
});

describe("Google's tools beside the agent's", () => {
  const tools = [
    createTool({ name: "look_up", description: "d", parameters: z.object({}), execute: () => "done" }),
  ];

  /** The `toolConfig` of a request with the tool and with search. */
  async function toolConfigOf(options: GoogleProviderOptions, google: object = {}, own = tools) {
    let body: Record<string, unknown> = {};
    const fetch: typeof globalThis.fetch = async (_, init) => {
      body = JSON.parse(String(init?.body));
      return Response.json({ candidates: [{ content: { parts: [{ text: "Ok." }] }, finishReason: "STOP" }] });
    };
    const provider = createGoogleProvider({ apiKey: "k", model: MODEL, fetch, ...options });
    const providerOptions = { google: { tools: [{ googleSearch: {} }], ...google } };
    const { config } = configOf(provider, { tools: own, modelConfig: { providerOptions } });
    await run<unknown, unknown>(says("Hi"), config);
    return body["toolConfig"];
  }

  it.each<[string, Parameters<typeof toolConfigOf>, unknown]>([
    ["show their calls, which Google demands", [{}], { includeServerSideToolInvocations: true }],
    ["don't if the agent has no tools", [{}, {}, []], undefined],
    ["don't with models before Gemini 3, which take no both", [{ model: OLD }], undefined],
    [
      "don't at Vertex AI, which doesn't know the field",
      [{ baseURL: "https://europe-west4-aiplatform.googleapis.com/v1/publishers/google" }],
      undefined,
    ],
    ...["eu", "us"].map((region): [string, Parameters<typeof toolConfigOf>, unknown] => [
      `don't at Vertex AI in ${region}`,
      [{ baseURL: `https://aiplatform.${region}.rep.googleapis.com/v1/publishers/google` }],
      undefined,
    ]),
    [
      "don't if the application says so",
      [{}, { toolConfig: { includeServerSideToolInvocations: false } }],
      { includeServerSideToolInvocations: false },
    ],
  ])("%s", async (_, args, expected) => {
    expect(await toolConfigOf(...args)).toEqual(expected);
  });
});

describe("the agent's model settings", () => {
  it("are the generationConfig, and providerOptions are body fields, except the adapter's own", async () => {
    const body = await bodyOf([user("Hi")], {
      agent: {
        modelConfig: {
          temperature: 0.5,
          topP: 0.9,
          maxTokens: 99,
          providerOptions: {
            google: {
              safetySettings: [],
              contents: [],
              systemInstruction: "x",
              generationConfig: { seed: 7 },
            },
          },
        },
      },
    });
    expect(body).toEqual({
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      safetySettings: [],
      generationConfig: { temperature: 0.5, topP: 0.9, maxOutputTokens: 99, seed: 7 },
    });
  });

  it.each([
    ["gemini-3-pro-preview", "none", { thinkingLevel: "low" }],
    ["gemini-3-pro-preview", "medium", { thinkingLevel: "high" }],
    ["gemini-3.1-pro-preview", "medium", { thinkingLevel: "medium" }],
    ["gemini-3-flash-preview", "minimal", { thinkingLevel: "minimal" }],
    ["gemini-3.8-flash", "minimal", { thinkingLevel: "low" }],
    ["gemini-3.5-flash-lite", "none", { thinkingLevel: "minimal" }],
    ["gemini-4-pro", "xhigh", { thinkingLevel: "high" }],
    ["gemini-2.5-pro", "none", { thinkingBudget: 128 }],
    ["gemini-2.5-pro", "xhigh", { thinkingBudget: 32_768 }],
    ["gemini-2.5-flash", "none", { thinkingBudget: 0 }],
    ["gemini-2.5-flash-lite", "minimal", { thinkingBudget: 512 }],
    ["gemini-2.5-flash", "low", { thinkingBudget: 1_024 }],
    ["gemini-2.5-flash", "medium", { thinkingBudget: 8_192 }],
    ["gemini-2.5-flash", "xhigh", { thinkingBudget: 24_576 }],
    ["gemini-2.0-flash", "high", undefined],
    ["gemma-3-27b-it", "high", undefined],
  ] as const)(
    "of %s with the effort %s is the nearest that it has",
    async (model, reasoningEffort, expected) => {
      const body = await bodyOf([user("Hi")], {
        agent: { modelConfig: { reasoningEffort } },
        options: { model, includeThoughts: true },
      });
      expect(body["generationConfig"]).toEqual(
        expected === undefined ? undefined : { thinkingConfig: { ...expected, includeThoughts: true } },
      );
    },
  );

  const outputCodec = z.object({ kind: z.literal("a"), list: z.array(z.number()) });
  const tools = [
    createTool({ name: "t", description: "d", parameters: z.object({}), execute: async () => "" }),
  ];
  const schema = { properties: { kind: { enum: ["a"] }, list: { items: { type: "number" } } } };

  it("have the output as a schema, or as instructions for an older model with tools", async () => {
    const told = { responseMimeType: "application/json", responseJsonSchema: schema };
    expect((await bodyOf([user("Hi")], { agent: { outputCodec, tools } }))["generationConfig"]).toMatchObject(
      told,
    );
    const older = await bodyOf([user("Hi")], { agent: { outputCodec }, options: { model: OLD } });
    expect(older["generationConfig"]).toMatchObject(told);
    const both = await bodyOf([user("Hi")], { agent: { outputCodec, tools }, options: { model: OLD } });
    expect(both).not.toHaveProperty("generationConfig");
    expect(JSON.stringify(both["systemInstruction"])).toContain("JSON schema");
    const none = await bodyOf([user("Hi")], { agent: { outputCodec }, options: { outputFormat: "none" } });
    expect(none).toEqual({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] });
    const text = await bodyOf([user("Hi")], { agent: { outputCodec: z.string() } });
    expect(text).not.toHaveProperty("generationConfig");
  });
});
