import { onTestFinished } from "vitest";
import {
  type ChatStep,
  type FakeChat,
  type FakeChatOptions,
  startFakeChat,
} from "../../../../test/fakes/openai-chat.ts";
import { createOpenAIProvider, type OpenAIProviderOptions } from "../../src/index.ts";

export { type AnyAgent, configOf, rich, says } from "../../../../test/models/run.ts";

/** Starts a fake that closes after the test. */
export async function fakeChat(
  steps: readonly ChatStep[],
  options: Omit<FakeChatOptions, "steps"> = {},
): Promise<FakeChat> {
  const fake = await startFakeChat({ steps, ...options });
  onTestFinished(fake.close);
  return fake;
}

/** Options that make the fake look like OpenAI. */
export const providerOf = ({ baseURL }: { readonly baseURL: string }, options: OpenAIProviderOptions = {}) =>
  createOpenAIProvider({
    baseURL,
    apiKey: "sk-test-key",
    model: "gpt-test",
    provider: "openai",
    dialect: "openai",
    ...options,
  });
