import type { LanguageModelV3Content } from "@ai-sdk/provider";
import type { ContentPart, RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type AiSdkProviderOptions, createAiSdkProvider } from "../../src/index.ts";
import { ask, USER } from "../support/asked.ts";
import { modelSaying } from "../support/models.ts";

/** The prompt for a history, without the instructions. */
async function promptOf(messages: readonly RichMessage[], options?: AiSdkProviderOptions, model = {}) {
  const mock = modelSaying([[{ type: "text", text: "Hi" }]], model);
  await ask(createAiSdkProvider(mock, options), { messages });
  const [system, ...prompt] = mock.doGenerateCalls[0]?.prompt ?? [];
  expect(system).toEqual({ role: "system", content: "Be brief." });
  return prompt;
}

/** The stored assistant message for a model's reply. */
async function stored(content: LanguageModelV3Content[], model = {}): Promise<RichMessage> {
  const { message, origin } = await ask(createAiSdkProvider(modelSaying([content], model)));
  return JSON.parse(JSON.stringify({ role: "assistant", ...message, origin }));
}

const signed = { anthropic: { signature: "c2lnbmF0dXJl", z: 1, a: { nested: [null, "x"] } } };
const OPAQUE: LanguageModelV3Content[] = [
  { type: "reasoning", text: "I think", providerMetadata: signed },
  { type: "tool-call", toolCallId: "s1", toolName: "web_search", input: '{"q":"x"}', providerExecuted: true },
  { type: "tool-result", toolCallId: "s1", toolName: "web_search", result: ["r"], providerMetadata: signed },
  { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "eA==" } } },
  { type: "tool-call", toolCallId: "c1", toolName: "find", input: '{"q":1}', providerMetadata: signed },
  { type: "text", text: "Look:", providerMetadata: { anthropic: { citations: [] } } },
  { type: "file", mediaType: "image/png", data: "aGk=" },
  { type: "source", sourceType: "url", id: "1", url: "https://a.example" },
  { type: "tool-approval-request", approvalId: "a1", toolCallId: "m1" },
];
const RESULT: RichMessage = { role: "tool", tool_call_id: "c1", content: "found" };
const RESULT_PART = {
  type: "tool-result",
  toolCallId: "c1",
  toolName: "find",
  output: { type: "text", value: "found" },
};

describe("a model's reply", () => {
  it("is sent back to it byte for byte, in order", async () => {
    const [, assistant, tool] = await promptOf([USER, await stored(OPAQUE), RESULT]);
    const content = [
      { type: "reasoning", text: "I think", providerOptions: signed },
      {
        type: "tool-call",
        toolCallId: "s1",
        toolName: "web_search",
        input: { q: "x" },
        providerExecuted: true,
      },
      {
        type: "tool-result",
        toolCallId: "s1",
        toolName: "web_search",
        output: { type: "json", value: ["r"] },
        providerOptions: signed,
      },
      { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "eA==" } } },
      { type: "tool-call", toolCallId: "c1", toolName: "find", input: { q: 1 }, providerOptions: signed },
      { type: "text", text: "Look:", providerOptions: { anthropic: { citations: [] } } },
      { type: "file", mediaType: "image/png", data: "aGk=" },
    ];
    expect(JSON.stringify(assistant)).toBe(JSON.stringify({ role: "assistant", content }));
    expect(tool).toEqual({ role: "tool", content: [RESULT_PART] });
  });

  it.each([
    ["model", { modelId: "claude-next" }],
    ["platform", { provider: "amazon-bedrock" }],
  ])("is sent to another %s without opaque parts", async (_, model) => {
    const prompt = await promptOf([USER, await stored(OPAQUE), RESULT], {}, model);
    expect(prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c1", toolName: "find", input: { q: 1 } },
          { type: "text", text: "Look:" },
          { type: "file", mediaType: "image/png", data: "aGk=" },
        ],
      },
      { role: "tool", content: [RESULT_PART] },
    ]);
  });

  it("is sent without opaque parts if its origin is unknown", async () => {
    const { origin: _, ...unknown } = await stored(OPAQUE);
    expect(JSON.stringify(await promptOf([USER, unknown, RESULT]))).not.toMatch(
      /c2lnbmF0dXJl|eA==|I think|web_search/,
    );
  });

  it("is left out for another model if it has no readable parts", async () => {
    const thought = await stored([{ type: "reasoning", text: "Hm", providerMetadata: signed }]);
    expect(await promptOf([USER, thought, USER], {}, { modelId: "b" })).toHaveLength(2);
    expect(await promptOf([USER, thought], { foreignReasoning: "text" }, { modelId: "b" })).toContainEqual({
      role: "assistant",
      content: [{ type: "text", text: "<thinking>\nHm\n</thinking>" }],
    });
  });

  it("drops JAF's own metadata, and metadata that isn't JSON by provider", async () => {
    const message: RichMessage = {
      role: "assistant",
      origin: { provider: "anthropic.messages", api: "ai-sdk-v3", model: "claude" },
      content: [
        {
          type: "text",
          text: "Hi",
          providerMetadata: { jaf: { id: "x" }, bad: "text", a: { b: new Date(0) } },
        },
      ],
    };
    expect(await promptOf([USER, message])).toContainEqual({
      role: "assistant",
      content: [{ type: "text", text: "Hi" }],
    });
  });
});

describe("parts that only V4 models send", () => {
  const url = new URL("https://a.example/thought.png");
  const content = [
    { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { encrypted: "x" } } },
    { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
    { type: "reasoning-file", mediaType: "image/png", data: { type: "url", url } },
    { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
    { type: "text", text: "So", citations: [{ citedText: "a" }] },
  ];
  const prompts: unknown[] = [];
  const v4 = (modelId: string) => ({
    specificationVersion: "v4",
    provider: "openai.responses",
    modelId,
    doGenerate: async (call: object) => {
      prompts.push("prompt" in call && call.prompt);
      return { content, finishReason: { unified: "stop", raw: "stop" }, usage: {} };
    },
    doStream: () => Promise.reject(new Error("unused")),
  });

  it("are sent back only to V4 models", async () => {
    const { message, origin } = await ask(createAiSdkProvider(v4("gpt")));
    const messages: RichMessage[] = [USER, { role: "assistant", content: "", ...Object(message), origin }];
    await ask(createAiSdkProvider(v4("gpt")), { messages });
    await ask(createAiSdkProvider(v4("other")), { messages });
    const [custom, ...rest] = content.slice(0, 4);
    const said = { type: "text", text: "So" };
    expect(prompts[1]).toContainEqual({
      role: "assistant",
      content: [
        { type: "custom", kind: "openai.compaction", providerOptions: custom?.providerMetadata },
        ...rest,
        said,
      ],
    });
    expect(prompts[2]).toContainEqual({ role: "assistant", content: [rest.at(-1), said] });
  });
});

describe("a call", () => {
  const call = (input: string) =>
    ({ id: "c1", type: "function", function: { name: "find", arguments: input } }) as const;

  it.each([
    ['{"a":1}', { a: 1 }],
    ["", {}],
    ["{broken", { input: "{broken" }],
    ["[1]", { input: "[1]" }],
  ])("gets an object as its input: %s", async (text, input) => {
    const prompt = await promptOf([{ role: "assistant", content: null, tool_calls: [call(text)] }, RESULT]);
    expect(prompt).toEqual([
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "find", input }] },
      { role: "tool", content: [RESULT_PART] },
    ]);
  });

  it("can be a custom call, and can repeat an id", async () => {
    const custom = { id: "c1", type: "custom", custom: { name: "sql", input: "select 1" } } as const;
    const [first, , second, results] = await promptOf([
      { role: "assistant", content: "", tool_calls: [call("{}"), { ...call("{}"), id: "c0" }] },
      RESULT,
      { role: "assistant", content: "", tool_calls: [custom] },
      RESULT,
    ]);
    expect(first?.content).toHaveLength(2);
    expect(second?.content).toMatchObject([{ toolName: "sql", input: { input: "select 1" } }]);
    expect(results?.content).toMatchObject([{ toolCallId: "c1", toolName: "sql" }]);
  });
});

describe("messages of the application", () => {
  it("keep their texts and files, and their own metadata", async () => {
    const url = new URL("https://a.example/a.png");
    const bytes = new Uint8Array([104, 105]);
    const content: ContentPart[] = [
      { type: "text", text: "See", providerMetadata: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      { type: "media", mediaType: "image/png", data: bytes },
      { type: "media", mediaType: "application/pdf", url, filename: "a.pdf" },
      { type: "media", mediaType: "image/png", url: "data:image/webp;base64,aGk=" },
      { type: "media", mediaType: "application/pdf", fileId: "file-7" },
      { type: "media", mediaType: "application/pdf", fileId: "7", filename: "b.pdf" },
      { type: "image_url", image_url: { url: "data:image/gif,hi" } },
      { type: "input_text", text: "and this" },
      { type: "media", mediaType: "image/png", blob: { sha256: "0".repeat(64), size: 9 } },
      { type: "text", text: "" },
    ];
    expect(await promptOf([{ role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "See",
            providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
          },
          { type: "file", mediaType: "image/png", data: bytes },
          { type: "file", mediaType: "application/pdf", data: url, filename: "a.pdf" },
          { type: "file", mediaType: "image/png", data: "aGk=" },
          { type: "file", mediaType: "application/pdf", data: "file-7" },
          { type: "text", text: "[b.pdf]" },
          { type: "file", mediaType: "image/gif", data: "aGk=" },
          { type: "text", text: "and this" },
          { type: "text", text: "[image/png]" },
        ],
      },
    ]);
  });

  it("of the roles system and developer come first", async () => {
    const prompt = await promptOf([
      USER,
      { role: "developer", content: "Speak French." },
      { role: "system", content: [{ type: "text", text: "No jokes." }] },
    ]);
    expect(prompt.map(({ role, content }) => (role === "system" ? content : role))).toEqual([
      "Speak French.",
      "No jokes.",
      "user",
    ]);
  });
});

describe("a call that the provider runs after an approval", () => {
  const asks = (id: string): LanguageModelV3Content[] => [
    {
      type: "tool-call",
      toolCallId: id,
      toolName: "mcp.order",
      input: '{"item":"tea"}',
      providerExecuted: true,
    },
    { type: "tool-approval-request", approvalId: `approval of ${id}`, toolCallId: id },
  ];
  const decided = (id: string, content: string): RichMessage => ({ role: "tool", tool_call_id: id, content });
  const rejected = JSON.stringify({ status: "permission_denied", error: { message: "No tea." } });

  it("goes back with the decisions", async () => {
    const asking = await stored([...asks("m1"), ...asks("m2")]);
    expect(asking.tool_calls).toMatchObject([
      { id: "m1", providerExecuted: true, approvalId: "approval of m1" },
      { id: "m2" },
    ]);
    const results = [decided("m1", '{"status":"success","data":{"approved":true}}'), decided("m2", rejected)];
    const [, assistant, tool] = await promptOf([USER, asking, ...results]);
    const part = { type: "tool-call", toolName: "mcp.order", input: { item: "tea" }, providerExecuted: true };
    expect(assistant?.content).toEqual([
      { ...part, toolCallId: "m1" },
      { ...part, toolCallId: "m2" },
    ]);
    expect(tool?.content).toEqual([
      { type: "tool-approval-response", approvalId: "approval of m1", approved: true },
      { type: "tool-approval-response", approvalId: "approval of m2", approved: false, reason: "No tea." },
    ]);
  });

  it("is left out with its decision for any other model", async () => {
    const history = [USER, await stored(asks("m1")), decided("m1", rejected)];
    expect(await promptOf(history, {}, { modelId: "b" })).toHaveLength(1);
  });
});

describe("a call of a provider's tool that the application runs", () => {
  it("has its input even if this was cut", async () => {
    const cut: RichMessage = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command": "l' } }],
    };
    const providerOptions = { anthropic: { tools: [{ id: "anthropic.bash_20250124" }] } };
    const [, assistant] = await promptOf([USER, cut, RESULT], { providerOptions });
    expect(assistant?.content).toMatchObject([{ toolName: "bash", input: { input: '{"command": "l' } }]);
  });
});

describe("results", () => {
  const calling: RichMessage = {
    role: "assistant",
    content: "",
    tool_calls: ["c1", "c2"].map((id) => ({
      id,
      type: "function",
      function: { name: "find", arguments: "{}" },
    })),
  };
  const image: RichMessage = {
    role: "tool",
    tool_call_id: "c2",
    content: [
      { type: "text", text: "A map:" },
      { type: "media", mediaType: "image/png", data: new Uint8Array([104, 105]) },
      { type: "media", mediaType: "application/pdf", data: "aGk=", filename: "m.pdf" },
      { type: "media", mediaType: "image/png", url: "https://a.example/a.png" },
      { type: "source", url: "https://a.example" },
    ],
  };
  const SOURCE = { type: "text", text: '{"type":"source","url":"https://a.example"}' };

  it("are merged into one message with their parts if they are consecutive", async () => {
    const [, results] = await promptOf([calling, RESULT, image]);
    expect(results?.content).toMatchObject([
      RESULT_PART,
      {
        toolCallId: "c2",
        output: {
          type: "content",
          value: [
            { type: "text", text: "A map:" },
            { type: "image-data", mediaType: "image/png", data: "aGk=" },
            { type: "file-data", mediaType: "application/pdf", data: "aGk=", filename: "m.pdf" },
            { type: "image-url", url: "https://a.example/a.png" },
            SOURCE,
          ],
        },
      },
    ]);
  });

  it.each([
    [
      "v4",
      { type: "file", mediaType: "application/pdf", data: { type: "data", data: "aGk=" }, filename: "m.pdf" },
    ],
    ["v2", { type: "media", mediaType: "application/pdf", data: "aGk=" }],
  ])("have the format of %s", async (specificationVersion, pdf) => {
    const mock = modelSaying([[{ type: "text", text: "Hi" }]]);
    const model = {
      provider: mock.provider,
      modelId: mock.modelId,
      specificationVersion,
      doGenerate: (call: object) => mock.doGenerate(Object(call)),
      doStream: () => Promise.reject(new Error("unused")),
    };
    await ask(createAiSdkProvider(model), { messages: [calling, RESULT, image] });
    const [, , results] = mock.doGenerateCalls[0]?.prompt ?? [];
    expect(results?.content).toHaveLength(2);
    const [, second] = JSON.parse(JSON.stringify(results?.content));
    expect(second.output.value[2]).toEqual(pdf);
  });

  it("without a call are left out", async () => {
    expect(await promptOf([USER, RESULT])).toHaveLength(1);
  });
});
