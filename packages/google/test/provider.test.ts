import { createTool, run, runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { asking, configOf, gemini, MODEL, providerOf, rich, says } from "./support/setup.ts";

const WAYS = ["whole", "streamed"] as const;
const origin = { provider: "google", api: "generate-content", model: MODEL };

const weather = createTool({
  name: "weather",
  description: "Of a city",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sun in ${city}.`,
});

describe.each(WAYS)("a reply that is %s", (way) => {
  const ask = (...args: Parameters<typeof run<unknown, unknown>>) =>
    way === "whole" ? run<unknown, unknown>(...args) : runStream<unknown, unknown>(...args).result;

  it("has its text and usage", async () => {
    const server = await gemini(["Hello there, you."]);
    const { config, events } = configOf(providerOf(server));
    const result = await ask(says("Hi"), config);
    expect(result.outcome).toEqual({ status: "completed", output: "Hello there, you." });
    expect(rich(result)[1]).toEqual({
      role: "assistant",
      content: "Hello there, you.",
      origin,
      providerMetadata: { google: { modelVersion: "v" } },
    });
    expect(server.headers[0]?.["x-goog-api-key"]).toBe("AIza-test");
    expect(server.paths).toEqual([
      `models/${MODEL}:${way === "whole" ? "generateContent" : "streamGenerateContent"}`.concat(
        way === "whole" ? "" : "?alt=sse",
      ),
    ]);
    expect(server.bodies[0]).toEqual({
      systemInstruction: { parts: [{ text: "You help." }] },
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    });
    expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
      data: { finishReason: "stop", usage: { inputTokens: 20, outputTokens: 10, reasoningTokens: 4 } },
    });
  });

  it("with calls, thoughts and signatures is sent back unchanged in steps and turns", async () => {
    const first = [
      { text: "Two cities, ", thought: true },
      { text: "I look at both of them. " },
      {
        functionCall: { id: "c1", name: "weather", args: { city: "Rome" } },
        thoughtSignature: "sig-1+/=",
      },
      { functionCall: { id: "c2", name: "weather", args: { city: "Oslo" } } },
    ];
    const second = [
      { functionCall: { id: "c3", name: "weather", args: { city: "Bonn" } }, thoughtSignature: "sig-2" },
    ];
    const third = [{ text: "Sun everywhere." }, { text: "", thoughtSignature: "sig-3" }];
    const server = await gemini([{ parts: first }, { parts: second }, { parts: third }, "You are welcome."]);
    const { config } = configOf(providerOf(server), { tools: [weather] });
    const result = await ask(says("Weather?"), config);
    expect(result.outcome).toEqual({ status: "completed", output: "Sun everywhere." });
    const again = await ask(asking([...rich(result), { role: "user", content: "Thanks" }]), config);
    expect(server.refusals).toEqual([]);
    expect(again.outcome.status).toBe("completed");
    const response = (id: string, output: string) => ({
      functionResponse: { id, name: "weather", response: { output } },
    });
    expect(server.bodies[3]?.["contents"]).toEqual([
      { role: "user", parts: [{ text: "Weather?" }] },
      { role: "model", parts: first },
      { role: "user", parts: [response("c1", "Sun in Rome."), response("c2", "Sun in Oslo.")] },
      { role: "model", parts: second },
      { role: "user", parts: [response("c3", "Sun in Bonn.")] },
      { role: "model", parts: third },
      { role: "user", parts: [{ text: "Thanks" }] },
    ]);
    expect(rich(result)[1]).toMatchObject({
      content: [
        { type: "reasoning", text: "Two cities, " },
        { type: "text", text: "I look at both of them. " },
        { type: "tool-call", id: "c1" },
        { type: "tool-call", id: "c2" },
      ],
      tool_calls: [
        {
          id: "c1",
          function: { name: "weather", arguments: '{"city":"Rome"}' },
          providerMetadata: { google: { thoughtSignature: "sig-1+/=" } },
        },
        { id: "c2" },
      ],
      origin,
    });
  });

  it("keeps a signature's place in the middle of a text", async () => {
    const parts = [{ text: "One " }, { text: "two", thoughtSignature: "sig" }, { text: " three" }];
    const server = await gemini([{ parts }, "Ok."]);
    const { config } = configOf(providerOf(server));
    const result = await ask(says("Count"), config);
    expect(result.outcome).toEqual({ status: "completed", output: "One two three" });
    await ask(asking([...rich(result), { role: "user", content: "Ok" }]), config);
    expect(server.bodies[1]).toMatchObject({ contents: [{}, { role: "model", parts }, {}] });
  });

  it("keeps Google's own tool calls, media, sources and unknown parts", async () => {
    const parts = [
      { executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: "sig-code" },
      { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "1" } },
      { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["x"] } } },
      { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: { a: 1 } } },
      { inlineData: { mimeType: "image/png", data: "iVBO" }, thought: true },
      { text: "See:" },
      { inlineData: { mimeType: "image/png", data: "iVBORw0K" }, thoughtSignature: "sig-image" },
      { fileData: { mimeType: "video/mp4", fileUri: "https://a.example/v" }, videoMetadata: { fps: 1 } },
    ];
    const candidate = {
      groundingMetadata: { groundingChunks: [{ web: { uri: "https://a.example" } }] },
      citationMetadata: { citationSources: [{ uri: "https://b.example" }] },
      urlContextMetadata: {
        urlMetadata: [
          { retrievedUrl: "https://c.example", urlRetrievalStatus: "URL_RETRIEVAL_STATUS_SUCCESS" },
        ],
      },
    };
    const server = await gemini([{ parts, candidate }, "Ok."]);
    const { config } = configOf(providerOf(server), {
      modelConfig: { providerOptions: { google: { tools: [{ codeExecution: {} }, { googleSearch: {} }] } } },
    });
    const result = await ask(says("Draw"), config);
    expect(result.outcome).toEqual({ status: "completed", output: "See:" });
    expect(rich(result)[1]).toMatchObject({
      content: [
        { type: "provider-tool-call", name: "code_execution", input: { code: "print(1)" } },
        { type: "provider-tool-result", isError: true, output: { output: "1" } },
        { type: "provider-tool-call", id: "t1", name: "GOOGLE_SEARCH_WEB" },
        { type: "provider-tool-result", id: "t1" },
        { type: "reasoning-file", mediaType: "image/png", data: "iVBO" },
        { type: "text", text: "See:" },
        { type: "source", id: "source-1", sourceType: "url", url: "https://a.example" },
        { type: "source", id: "source-2", sourceType: "url", url: "https://b.example" },
        { type: "source", id: "source-3", sourceType: "url", url: "https://c.example" },
        { type: "media", mediaType: "image/png", data: "iVBORw0K" },
        { type: "media", mediaType: "video/mp4", url: "https://a.example/v" },
      ],
      providerMetadata: { google: candidate },
    });
    await ask(asking([...rich(result), { role: "user", content: "Again" }]), config);
    expect(server.refusals).toEqual([]);
    expect(server.bodies[1]).toMatchObject({ contents: [{}, { role: "model", parts }, {}] });
    expect(server.bodies[1]?.["tools"]).toEqual([{ codeExecution: {} }, { googleSearch: {} }]);
  });

  it("of an older model without ids has its calls answered in order", async () => {
    const parts = ["Rome", "Oslo"].map((city) => ({ functionCall: { name: "weather", args: { city } } }));
    const server = await gemini([{ parts }, "Sun."]);
    const { config } = configOf(providerOf(server, { model: "gemini-2.5-flash" }), { tools: [weather] });
    const result = await ask(says("Weather?"), config);
    expect(server.refusals).toEqual([]);
    expect(result.outcome).toEqual({ status: "completed", output: "Sun." });
    const response = (city: string) => ({
      functionResponse: { name: "weather", response: { output: `Sun in ${city}.` } },
    });
    expect(server.bodies[1]).toMatchObject({
      contents: [{}, { role: "model", parts }, { role: "user", parts: [response("Rome"), response("Oslo")] }],
    });
    expect(new Set(rich(result)[1]?.tool_calls?.map(({ id }) => id)).size).toBe(2);
  });

  it("with signed thoughts is sent back unchanged", async () => {
    const parts = [
      { text: "A", thought: true, thoughtSignature: "s1" },
      { text: "B", thought: true },
      { text: "So." },
    ];
    const server = await gemini([{ parts }, "Ok."]);
    const { config } = configOf(providerOf(server, { includeThoughts: true }));
    const result = await ask(says("Think"), config);
    await ask(asking([...rich(result), { role: "user", content: "Ok" }]), config);
    expect(server.bodies[0]).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    });
    expect(server.bodies[1]).toMatchObject({ contents: [{}, { role: "model", parts }, {}] });
  });
});

describe("a stream", () => {
  it("yields texts, thoughts, parts and calls as they arrive", async () => {
    const parts = [
      { text: "Hm.", thought: true },
      { text: "Hello there." },
      { inlineData: { mimeType: "image/png", data: "iVBO" } },
    ];
    const server = await gemini([{ parts }]);
    const { config, events } = configOf(providerOf(server));
    await runStream<unknown, unknown>(says("Hi"), config).result;
    const told = events.filter(({ type }) => ["llm_delta", "llm_reasoning_delta", "llm_part"].includes(type));
    expect(told.map(({ type, data }) => [type, "text" in data ? data.text : "part"])).toEqual([
      ["llm_reasoning_delta", "Hm."],
      ["llm_delta", "Hello t"],
      ["llm_delta", "here."],
      ["llm_part", "part"],
    ]);
  });

  it("can be a list of responses if the service doesn't support events", async () => {
    const responses = [
      { candidates: [{ content: { role: "model", parts: [{ text: "Hel" }] } }] },
      { candidates: [{ content: { role: "model", parts: [{ text: "lo." }] }, finishReason: "STOP" }] },
    ];
    const server = await gemini([{ kind: "raw", body: JSON.stringify(responses) }]);
    const { outcome } = await runStream<unknown, unknown>(says("Hi"), configOf(providerOf(server)).config)
      .result;
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
  });
});
