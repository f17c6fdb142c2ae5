import { createAnthropic } from "@ai-sdk/anthropic";
import { createAiSdkProvider } from "@jaf/ai-sdk";
import { createAnthropicProvider } from "@jaf/anthropic";
import { createGoogleProvider } from "@jaf/google";
import { createOpenAIProvider, createOpenAIResponsesProvider } from "@jaf/openai";
import { expect, it } from "vitest";

const options = { apiKey: "key", model: "large" };

it.each([
  ["openai", createOpenAIProvider(options)],
  ["openai", createOpenAIResponsesProvider(options)],
  ["anthropic", createAnthropicProvider(options)],
  ["google", createGoogleProvider(options)],
  ["anthropic.messages", createAiSdkProvider(createAnthropic({ apiKey: "key" })("large"))],
] as const)(
  "a model provider of %s tells the model and the service that it calls by default",
  (service, provider) => {
    expect(provider).toMatchObject({ service, defaultModel: "large" });
  },
);

it("a model provider of the AI SDK that gets models by name tells the default model", () => {
  const provider = createAiSdkProvider(createAnthropic({ apiKey: "key" }), { model: "large" });
  expect(provider.defaultModel).toBe("large");
  expect(createOpenAIProvider({ ...options, baseURL: "http://gateway.test/v1" }).service).toBe(
    "gateway.test",
  );
});
