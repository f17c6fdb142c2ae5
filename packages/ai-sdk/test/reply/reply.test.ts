import type { LanguageModelV3Content } from "@ai-sdk/provider";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import { createAiSdkProvider } from "../../src/index.ts";
import { ask } from "../support/asked.ts";
import { generated, modelSaying } from "../support/models.ts";

const reply = async (content: LanguageModelV3Content[]) => {
  const { message } = await ask(createAiSdkProvider(modelSaying([content])));
  return message;
};

const signed = { anthropic: { signature: "c2ln" } };

describe("a reply", () => {
  it("has a string as its content if it is one text followed by calls", async () => {
    expect(await reply([{ type: "text", text: "Hello." }])).toEqual({ content: "Hello." });
    expect(
      await reply([
        { type: "text", text: "Let me see." },
        { type: "tool-call", toolCallId: "c1", toolName: "find", input: '{"q": 1}' },
      ]),
    ).toEqual({
      content: "Let me see.",
      tool_calls: [{ id: "c1", type: "function", function: { name: "find", arguments: '{"q": 1}' } }],
    });
  });

  it("keeps reasoning and calls in order, with their metadata", async () => {
    const message = await reply([
      { type: "reasoning", text: "First…", providerMetadata: signed },
      { type: "tool-call", toolCallId: "c1", toolName: "find", input: "{}", providerMetadata: signed },
      { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "eA==" } } },
      { type: "text", text: "So:", providerMetadata: { openai: { itemId: "msg_1" } } },
      { type: "tool-call", toolCallId: "c2", toolName: "find", input: "{}" },
    ]);
    expect(message).toEqual({
      content: [
        { type: "reasoning", text: "First…", providerMetadata: signed },
        { type: "tool-call", id: "c1" },
        { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "eA==" } } },
        { type: "text", text: "So:", providerMetadata: { openai: { itemId: "msg_1" } } },
        { type: "tool-call", id: "c2" },
      ],
      tool_calls: [
        { id: "c1", type: "function", function: { name: "find", arguments: "{}" }, providerMetadata: signed },
        { id: "c2", type: "function", function: { name: "find", arguments: "{}" } },
      ],
    });
  });

  it("keeps files, sources, approvals and the provider's tool calls", async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const message = await reply([
      {
        type: "tool-call",
        toolCallId: "s1",
        toolName: "web_search",
        input: '{"q":"x"}',
        providerExecuted: true,
      },
      { type: "tool-result", toolCallId: "s1", toolName: "web_search", result: "so far", preliminary: true },
      {
        type: "tool-result",
        toolCallId: "s1",
        toolName: "web_search",
        result: [{ url: "u" }],
        dynamic: true,
      },
      { type: "tool-result", toolCallId: "s2", toolName: "code", result: { e: 1 }, isError: true },
      { type: "source", sourceType: "url", id: "1", url: "https://a.example", title: "A" },
      {
        type: "source",
        sourceType: "document",
        id: "2",
        mediaType: "application/pdf",
        title: "B",
        filename: "b.pdf",
      },
      { type: "file", mediaType: "image/png", data: "aGk=" },
      { type: "file", mediaType: "audio/wav", data: bytes, providerMetadata: signed },
      { type: "tool-approval-request", approvalId: "a1", toolCallId: "m1" },
    ]);
    expect(message?.content).toEqual([
      { type: "provider-tool-call", id: "s1", name: "web_search", input: { q: "x" } },
      { type: "provider-tool-result", id: "s1", name: "web_search", output: [{ url: "u" }], dynamic: true },
      { type: "provider-tool-result", id: "s2", name: "code", output: { e: 1 }, isError: true },
      { type: "media", mediaType: "image/png", data: "aGk=" },
      { type: "media", mediaType: "audio/wav", data: bytes, providerMetadata: signed },
      { type: "tool-approval-request", approvalId: "a1", toolCallId: "m1" },
      { type: "source", sourceType: "url", id: "1", url: "https://a.example", title: "A" },
      {
        type: "source",
        sourceType: "document",
        id: "2",
        mediaType: "application/pdf",
        title: "B",
        filename: "b.pdf",
      },
    ]);
    expect(message?.tool_calls).toBeUndefined();
  });

  it("has its origin, finish reason, usage and metadata", async () => {
    const model = new MockLanguageModelV3({
      provider: "openai.responses",
      modelId: "gpt-5.1",
      doGenerate: generated([{ type: "text", text: "Hi" }], {
        finishReason: { unified: "content-filter", raw: "sensitive" },
        providerMetadata: { openai: { responseId: "resp_1" }, other: {} },
      }),
    });
    expect(await ask(createAiSdkProvider(model))).toEqual({
      message: { content: "Hi", providerMetadata: { openai: { responseId: "resp_1" }, other: {} } },
      origin: { provider: "openai.responses", api: "ai-sdk-v3", model: "gpt-5.1" },
      finish_reason: "content_filter",
      usage: { inputTokens: 20, cachedInputTokens: 15, outputTokens: 9, reasoningTokens: 7 },
    });
  });

  it("is read from V2 and V4 models, too", async () => {
    const v2 = {
      specificationVersion: "v2",
      provider: "old.chat",
      modelId: "m",
      doGenerate: async () => ({
        content: [{ type: "text", text: "Old" }],
        finishReason: "tool-calls",
        usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 1 },
      }),
      doStream: () => Promise.reject(new Error("unused")),
    };
    expect(await ask(createAiSdkProvider(v2))).toEqual({
      message: { content: "Old" },
      origin: { provider: "old.chat", api: "ai-sdk-v2", model: "m" },
      finish_reason: "tool_calls",
      usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1 },
    });
    const url = new URL("https://a.example/a.png");
    const v4 = {
      ...v2,
      specificationVersion: "v4",
      doGenerate: async () => ({
        content: [
          { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
          { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { encrypted: "x" } } },
          { type: "file", mediaType: "image/png", data: { type: "url", url } },
        ],
        finishReason: { unified: "stop", raw: "stop" },
        usage: {},
      }),
    };
    expect((await ask(createAiSdkProvider(v4))).message?.content).toEqual([
      { type: "reasoning-file", mediaType: "image/png", data: "aGk=" },
      { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { encrypted: "x" } } },
      { type: "media", mediaType: "image/png", url },
    ]);
  });
});

/** A model of specification V2 or V4 with one reply. */
const replying = (specificationVersion: "v2" | "v4", reply: object, provider = "some.chat") => ({
  specificationVersion,
  provider,
  modelId: "m",
  doGenerate: async () => ({ usage: {}, ...reply }),
  doStream: () => Promise.reject(new Error("unused")),
});

describe("sources", () => {
  it("of a text's citations stand behind the text, with their places", async () => {
    const source = { type: "source", sourceType: "url", id: "s1", url: "https://a.example" };
    const citations = [
      { source, startIndex: 0, endIndex: 2 },
      { source, startIndex: 3, endIndex: 5 },
      { source: { ...source, id: "s2", url: "https://b.example" } },
    ];
    const content = [{ type: "text", text: "So it is.", citations }, source];
    const model = replying("v4", { content, finishReason: { unified: "stop", raw: "stop" } });
    expect((await ask(createAiSdkProvider(model))).message?.content).toEqual([
      content[0],
      {
        ...source,
        ranges: [
          { start: 0, end: 2 },
          { start: 3, end: 5 },
        ],
      },
      { ...source, id: "s2", url: "https://b.example" },
    ]);
  });
});

describe("a reply without a usable end", () => {
  const content = [{ type: "text", text: "Let me search." }];
  const errorFor = async (unified: string, raw: string) =>
    ask(createAiSdkProvider(replying("v4", { content, finishReason: { unified, raw } }))).catch(
      (thrown: unknown) => thrown,
    );

  it.each([
    ["stop", "pause_turn"],
    ["other", "compaction"],
  ])("is an error that names who continues it if Anthropic pauses it: %s, %s", async (unified, raw) => {
    expect(await errorFor(unified, raw)).toMatchObject({
      message: `some.chat paused its reply (${raw}): only @jaf/anthropic continues it`,
      isRetryable: false,
    });
  });

  it.each(["MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])(
    "is an error that may pass if Google's reason is %s",
    async (raw) => {
      expect(await errorFor("other", raw)).toMatchObject({ code: raw, isRetryable: true });
    },
  );
});

describe("a reply of a V2 model that was filtered", () => {
  const filtered = { content: [{ type: "text", text: "First" }], finishReason: "content-filter" };
  const contentOf = async (provider: string) =>
    (await ask(createAiSdkProvider(replying("v2", filtered, provider)))).message?.content;

  it("is a refusal if it is Anthropic's, who has no other filter", async () => {
    expect(await contentOf("anthropic.messages")).toEqual([
      {
        ...{ type: "refusal", refusal: "The model declined to answer." },
        providerMetadata: { jaf: { content: [{ type: "text", text: "First" }] } },
      },
    ]);
  });

  it("is kept as it is if it is another provider's", async () => {
    expect(await contentOf("openai.chat")).toBe("First");
  });
});

describe("the model", () => {
  it("is named by the run, the agent or the option, in this order", async () => {
    const names: string[] = [];
    const find = (name: string) => {
      names.push(name);
      return modelSaying([[{ type: "text", text: "Hi" }]], { modelId: name });
    };
    const provider = createAiSdkProvider(find, { model: "c" });
    const agent = { modelConfig: { name: "b" } };
    await ask(provider, { agent, config: { modelOverride: "a" } });
    await ask(provider, { agent });
    expect((await ask(provider)).origin?.model).toBe("c");
    expect(names).toEqual(["a", "b", "c"]);
    await expect(ask(createAiSdkProvider(find))).rejects.toThrow("No model is set");
  });

  it("must be a model of the AI SDK", () => {
    const model: object = { specificationVersion: "v9", doGenerate: () => undefined };
    // @ts-expect-error: JavaScript code can pass this
    expect(() => createAiSdkProvider(model)).toThrow('has specification "v9"');
    // @ts-expect-error: `ai` accepts this
    expect(() => createAiSdkProvider("openai/gpt-5")).toThrow("Expected a language model");
    // @ts-expect-error: misspelt
    expect(() => createAiSdkProvider(modelSaying([]), { foreignReasonings: "text" })).toThrow(
      "no such field",
    );
  });
});
