import { onTestFinished } from "vitest";
import {
  type FakeResponses,
  type FakeResponsesOptions,
  type ResponsesAnswer,
  type ResponsesStep,
  startFakeResponses,
} from "../../../../test/fakes/openai-responses-steps.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import { createOpenAIResponsesProvider, type OpenAIResponsesProviderOptions } from "../../src/index.ts";

/** Starts a fake that closes after the test. */
export async function fakeResponses(
  steps: readonly ResponsesStep[],
  options: Omit<FakeResponsesOptions, "steps"> = {},
): Promise<FakeResponses> {
  const fake = await startFakeResponses({ steps, ...options });
  onTestFinished(fake.close);
  return fake;
}

/** Options that make the fake look like OpenAI. */
export const responsesOf = (
  fake: Pick<FakeResponses, "baseURL">,
  options: OpenAIResponsesProviderOptions = {},
) =>
  createOpenAIResponsesProvider({
    baseURL: fake.baseURL,
    apiKey: "sk-test-key",
    model: "gpt-test",
    provider: "openai",
    dialect: "openai",
    ...options,
  });

export const origin = { provider: "openai", api: "responses", model: "gpt-test" };

export const output = (...items: readonly JsonObject[]): ResponsesAnswer => ({
  kind: "reply",
  output: items,
});

export const message = (text: string, further: JsonObject = {}): JsonObject => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  ...further,
});

export const refusal = (words: string): JsonObject =>
  message("", { content: [{ type: "refusal", refusal: words }] });

export const reasoning = (id: string, summary: readonly string[], further: JsonObject = {}): JsonObject => ({
  id,
  type: "reasoning",
  summary: summary.map((text) => ({ type: "summary_text", text })),
  encrypted_content: `gAAAA+/${id}==`,
  ...further,
});

export const functionCall = (
  call_id: string,
  name: string,
  args: unknown,
  further: JsonObject = {},
): JsonObject => ({
  type: "function_call",
  status: "completed",
  call_id,
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
  ...further,
});

export const customCall = (call_id: string, name: string, input: string): JsonObject => ({
  type: "custom_tool_call",
  status: "completed",
  call_id,
  name,
  input,
});

/** The items of a request's input. */
export const inputOf = (fake: FakeResponses, index: number): readonly JsonObject[] => {
  const { input } = fake.requests[index] ?? {};
  return Array.isArray(input) ? input : [];
};
