import { createTool, type RunConfig } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type AiSdkProviderOptions, createAiSdkProvider } from "../../src/index.ts";
import { type Asked, ask, USER } from "../support/asked.ts";
import { modelSaying } from "../support/models.ts";

/** The settings of a model call, without the prompt. */
async function called(asked: Asked, options?: AiSdkProviderOptions, specificationVersion = "v3") {
  const mock = modelSaying([[{ type: "text", text: "Hi" }]]);
  const model = {
    specificationVersion,
    provider: mock.provider,
    modelId: mock.modelId,
    doGenerate: (call: object) => mock.doGenerate(Object(call)),
    doStream: () => Promise.reject(new Error("unused")),
  };
  await ask(createAiSdkProvider(model, options), asked);
  const [first] = mock.doGenerateCalls;
  if (first === undefined) throw new Error("the model was called");
  const { prompt: _, ...call } = first;
  return call;
}

const find = createTool({
  name: "find",
  description: "Finds things",
  parameters: z.object({ what: z.string(), limit: z.number().default(5), since: z.date().optional() }),
  execute: () => "nothing",
});

describe("a call of the model", () => {
  it("has only the agent's settings", async () => {
    expect(await called({})).toEqual({});
    const modelConfig = { temperature: 0.2, topP: 0.9, maxTokens: 100, toolChoice: "required" as const };
    expect(await called({ agent: { modelConfig, tools: [find] } })).toEqual({
      temperature: 0.2,
      topP: 0.9,
      maxOutputTokens: 100,
      toolChoice: { type: "required" },
      tools: [
        {
          type: "function",
          name: "find",
          description: "Finds things",
          inputSchema: {
            $schema: "http://json-schema.org/draft-07/schema#",
            type: "object",
            properties: { what: { type: "string" }, limit: { default: 5, type: "number" }, since: {} },
            required: ["what"],
          },
        },
      ],
    });
    const call = await called({ agent: { modelConfig: { toolChoice: { tool: "find" } }, tools: [find] } });
    expect(call.toolChoice).toEqual({ type: "tool", toolName: "find" });
    expect(await called({ agent: { modelConfig: { toolChoice: "none" } } })).toEqual({});
  });

  it("requests the object that the codec decodes", async () => {
    const agent = { outputCodec: z.object({ sum: z.number() }) };
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { sum: { type: "number" } },
      required: ["sum"],
    };
    expect(await called({ agent })).toEqual({ responseFormat: { type: "json", schema } });
    expect(await called({ agent }, { structuredOutput: false })).toEqual({});
    expect(await called({ agent: { outputCodec: z.array(z.string()) } })).toEqual({});
  });

  it("has provider options, with the agent's overriding the general ones", async () => {
    const providerOptions = { anthropic: { a: 2, effort: "max" } };
    const options = {
      providerOptions: { anthropic: { a: 1, b: 1 }, openai: { c: 1 } },
      headers: { "x-team": "a" },
    };
    const modelConfig = { providerOptions, reasoningEffort: "low" as const };
    expect(await called({ agent: { modelConfig } }, options)).toEqual({
      headers: { "x-team": "a" },
      providerOptions: { anthropic: { effort: "max", a: 2, b: 1 }, openai: { c: 1 } },
    });
  });

  it("has the reasoning effort in the place of its specification", async () => {
    const agent = { modelConfig: { reasoningEffort: "low" as const } };
    expect(await called({ agent }, {}, "v4")).toEqual({ reasoning: "low" });
    expect(await called({ agent })).toEqual({ providerOptions: { anthropic: { effort: "low" } } });
  });

  it("has the call's signal", async () => {
    const { signal } = new AbortController();
    expect((await called({ config: { signal } })).abortSignal).toBe(signal);
  });
});

describe("the cacheable part of a prompt", () => {
  const kept = async (cache: RunConfig<object>["cache"], provider = "anthropic.messages") => {
    const mock = modelSaying([[{ type: "text", text: "Hi" }]], { provider });
    const messages = [USER, { role: "assistant" as const, content: "Nothing." }, USER];
    const config = cache === undefined ? {} : { cache };
    await ask(createAiSdkProvider(mock), { messages, agent: { tools: [find, find] }, config });
    const [call] = mock.doGenerateCalls;
    return [...(call?.prompt ?? []), ...(call?.tools ?? [])].map((marked) =>
      "providerOptions" in marked ? marked.providerOptions : undefined,
    );
  };
  const hour = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } };
  const short = { anthropic: { cacheControl: { type: "ephemeral", ttl: "5m" } } };
  const none = undefined;

  it("is marked for the providers that need a mark", async () => {
    const all = { instructions: true, tools: true, messages: 2 };
    expect(await kept(all)).toEqual([hour, none, hour, none, none, hour]);
    expect(await kept({ messages: 9, ttl: "300s" })).toEqual([none, none, none, short, none, none]);
    expect(await kept({ instructions: true, ttl: "5m" })).toEqual([short, none, none, none, none, none]);
    const point = { bedrock: { cachePoint: { type: "default" } } };
    expect(await kept(all, "amazon-bedrock")).toEqual([point, none, point, none, none, point]);
    for (const nothing of [await kept(none), await kept(false), await kept(all, "openai.chat")])
      expect(nothing).toEqual([none, none, none, none, none, none]);
  });
});

describe("files with a URL", () => {
  const image = (address: string) => ({ type: "media", mediaType: "image/png", url: address });
  const content = [image("https://own.example/a.png"), image("https://other.example/b.png")];
  const messages = [{ role: "user" as const, content }];

  const dataOf = async (options: AiSdkProviderOptions) => {
    const mock = modelSaying([[{ type: "text", text: "Hi" }]]);
    const supportedUrls = { "image/*": [/^https:\/\/own\.example\//g] };
    const model = {
      specificationVersion: "v3",
      provider: "p",
      modelId: "m",
      supportedUrls: Promise.resolve(supportedUrls),
      doGenerate: (call: object) => mock.doGenerate(Object(call)),
      doStream: () => Promise.reject(new Error("unused")),
    };
    await ask(createAiSdkProvider(model, options), { messages });
    const user = mock.doGenerateCalls[0]?.prompt[1];
    return user?.role === "user" ? user.content.map((part) => part.type === "file" && part.data) : [];
  };

  it("are sent as URLs, unless only `download` can fetch them", async () => {
    const [own, other] = content.map(({ url }) => new URL(url));
    expect(await dataOf({})).toEqual([own, other]);
    const bytes = new Uint8Array([1]);
    const fetched: string[] = [];
    const download: AiSdkProviderOptions["download"] = async ({ href }, { mediaType }) => {
      fetched.push(`${href} ${mediaType}`);
      return bytes;
    };
    expect(await dataOf({ download })).toEqual([own, bytes]);
    expect(fetched).toEqual(["https://other.example/b.png image/png"]);
  });
});
