import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createAiSdkProvider } from "@jaf/ai-sdk";
import { createAnthropicProvider } from "@jaf/anthropic";
import { createTool, type ModelProvider } from "@jaf/core";
import { createGoogleProvider } from "@jaf/google";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createOpenAIProvider, createOpenAIResponsesProvider } from "@jaf/openai";
import { runServer, type ServerOptions } from "@jaf/server";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { startAnthropic } from "../../test/fakes/anthropic-messages.ts";
import { startGemini } from "../../test/fakes/gemini.ts";
import { createOpaqueValues } from "../../test/fakes/opaque-values.ts";
import { startFakeChat } from "../../test/fakes/openai-chat.ts";
import { startResponses } from "../../test/fakes/openai-responses.ts";
import { inTurn } from "../../test/fakes/scripted-reply.ts";

interface Service {
  readonly requests: readonly { readonly body: unknown }[];
  readonly close: () => Promise<void>;
}

/** A service whose first reply calls the client's tool, and a provider for it. */
type Start = () => Promise<{ readonly service: Service; readonly modelProvider: ModelProvider<unknown> }>;

const script = () => ({
  next: inTurn([{ calls: [{ name: "look", input: {} }] }, { text: "Seen." }]),
  opaque: createOpaqueValues(),
});

const call = {
  id: "call_0123456789abcdef01234567",
  type: "function",
  function: { name: "look", arguments: "{}" },
};

const packages: Readonly<Record<string, Start>> = {
  "@jaf/openai": async () => {
    const reply = { kind: "reply", message: { content: null, tool_calls: [call] } } as const;
    const service = await startFakeChat({ steps: [reply, "Seen."] });
    const { baseURL } = service;
    return { service, modelProvider: createOpenAIProvider({ baseURL, apiKey: "k", model: "gpt-5-mini" }) };
  },
  "@jaf/openai (Responses)": async () => {
    const service = await startResponses(script());
    const baseURL = `${service.url}/v1`;
    const options = { baseURL, apiKey: "k", model: "gpt-5-mini" };
    return { service, modelProvider: createOpenAIResponsesProvider(options) };
  },
  "@jaf/anthropic": async () => {
    const service = await startAnthropic(script());
    const options = { baseURL: service.url, apiKey: "k", model: "claude-haiku-5-5" };
    return { service, modelProvider: createAnthropicProvider(options) };
  },
  "@jaf/google": async () => {
    const service = await startGemini(script());
    const options = { baseURL: `${service.url}/v1beta`, apiKey: "k", model: "gemini-3-pro-preview" };
    return { service, modelProvider: createGoogleProvider(options) };
  },
  "@jaf/ai-sdk with OpenAI": async () => {
    const service = await startResponses(script());
    const openai = createOpenAI({ baseURL: `${service.url}/v1`, apiKey: "k" });
    const providerOptions = { openai: { store: false } };
    return {
      service,
      modelProvider: createAiSdkProvider(openai.responses("gpt-5-mini"), { providerOptions }),
    };
  },
  "@jaf/ai-sdk with Anthropic": async () => {
    const service = await startAnthropic(script());
    const anthropic = createAnthropic({ baseURL: `${service.url}/v1`, apiKey: "k" });
    return { service, modelProvider: createAiSdkProvider(anthropic("claude-sonnet-4-5")) };
  },
  "@jaf/ai-sdk with Google": async () => {
    const service = await startGemini(script());
    const google = createGoogleGenerativeAI({ baseURL: `${service.url}/v1beta`, apiKey: "k" });
    return { service, modelProvider: createAiSdkProvider(google("gemini-3-pro-preview")) };
  },
};

const png = { type: "media", mediaType: "image/png" };
const own = { ...png, url: "https://files.example.org/own.png" };
const SECRET = "of-another-user";

/** Names a file of another user in each way that a model's service knows. */
const FOREIGN = [
  { ...png, fileId: `file-${SECRET}` },
  { ...png, data: "aGk=", fileId: `file-${SECRET}` },
  { ...png, data: `file-${SECRET}` },
  { ...png, data: `data:image/png;base64,file-${SECRET}` },
  { ...png, url: `data:image/png;base64,file-${SECRET}` },
  ...["https://files.example.org/", "gs://bucket/", "s3://bucket/", "file:///"].flatMap((base) => [
    { ...png, url: `${base}${SECRET}` },
    { ...png, data: `${base}${SECRET}` },
    { ...png, url: `data:image/png;base64,${base}${SECRET}` },
  ]),
  { type: "text", text: "Hi", providerMetadata: { openai: { item: { id: `msg_${SECRET}` } } } },
  { ...png, data: "aGk=", providerMetadata: { google: { fileData: { fileUri: SECRET } } } },
  { ...png, data: "aGk=", providerOptions: { anthropic: { containerId: SECRET } } },
  { type: "image_url", image_url: { url: `https://files.example.org/${SECRET}` } },
  { type: "input_image", file_id: `file-${SECRET}` },
  { type: "input_image", image_url: `https://files.example.org/${SECRET}` },
  { type: "input_file", file_id: `file-${SECRET}` },
  { type: "file", file: { file_id: `file-${SECRET}` } },
  { type: "file", mediaType: "image/png", data: `https://files.example.org/${SECRET}` },
  { type: "image", image: `https://files.example.org/${SECRET}` },
  { type: "image", source: { type: "file", file_id: `file-${SECRET}` } },
  { type: "document", source: { type: "url", url: `https://files.example.org/${SECRET}` } },
  { type: "search_result", source: `https://files.example.org/${SECRET}`, title: "T", content: [] },
  { type: "container_upload", file_id: `file-${SECRET}` },
  { type: "item_reference", id: `msg_${SECRET}` },
  { type: "openai-item", providerMetadata: { openai: { item: { id: `msg_${SECRET}` } } } },
  { type: "gemini", part: { fileData: { fileUri: `gs://bucket/${SECRET}` } } },
];

const isOfJaf = ({ type }: { readonly type: string }) => type === "text" || type === "media";

async function startServer(start: Start) {
  const { service, modelProvider } = await start();
  const look = createTool({ name: "look", description: "Looks.", parameters: z.object({}) });
  const server = await runServer(
    [{ name: "clerk", instructions: "Help.", tools: [look] }],
    { modelProvider, modelRetry: { maxAttempts: 1 } },
    {
      port: 0,
      ...{ defaultMemoryProvider: createInMemoryProvider(), turnLog: createInMemoryTurnLog() },
      clientFiles: (file) => file.kind === "url" && file.url === own.url,
    } satisfies ServerOptions<unknown>,
  );
  onTestFinished(async () => {
    await server.close();
    await service.close();
  });
  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the answer of any route
    const { data } = (await response.json()) as any;
    return { status: response.status, data };
  };
  const sent = () => service.requests.map(({ body }) => JSON.stringify(body));
  return { post, sent };
}

describe.each(Object.entries(packages))("the service behind %s", (_name, start) => {
  it("gets the files that the server allows, and none that a client names besides", async () => {
    const { post, sent } = await startServer(start);
    const refuses = async (path: string, body: object) =>
      expect([await post(path, body), body]).toMatchObject([{ status: 400 }, body]);
    for (const part of FOREIGN) {
      await refuses("/chat", { message: [part] });
      await refuses("/chat", { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }, part] }] });
    }
    for (const url of FOREIGN.flatMap((part) => ("url" in part ? [part.url] : [])))
      await refuses("/ai-sdk/chat", {
        id: "c",
        messages: [{ role: "user", parts: [{ type: "file", mediaType: "image/png", url }] }],
      });
    expect(sent()).toEqual([]);

    const asked = await post("/chat", { message: [{ type: "text", text: "What is it?" }, own] });
    expect(asked.data).toMatchObject({ status: "interrupted" });
    expect(sent()[0]).toContain(own.url);
    const { conversationId, interruptions, version } = asked.data;
    const [{ toolCallId }] = interruptions;
    for (const part of FOREIGN) {
      await refuses(`/conversations/${conversationId}/edit`, { position: 0, version, message: [part] });
      if (!isOfJaf(part)) continue;
      const toolResults = [{ toolCallId, result: { parts: [part] } }];
      await refuses("/chat", { conversationId, toolResults });
    }
    const result = {
      parts: [
        { type: "text", text: "There." },
        { ...png, data: "iVBORw0KGgo=" },
      ],
    };
    const done = await post("/chat", { conversationId, toolResults: [{ toolCallId, result }] });
    expect(done.data).toMatchObject({ status: "completed", text: "Seen." });
    expect(sent()).toHaveLength(2);
    expect(sent().join()).not.toContain(SECRET);
  });
});
