import { onTestFinished } from "vitest";
import {
  type FakeMessages,
  type MessagesStep,
  startFakeMessages,
} from "../../../../test/fakes/anthropic-answers.ts";
import { type AnthropicProviderOptions, createAnthropicProvider } from "../../src/index.ts";

export { type AnyAgent, configOf, rich, says } from "../../../../test/models/run.ts";

/** Starts a fake that closes after the test. */
export async function fakeMessages(steps: readonly MessagesStep[]): Promise<FakeMessages> {
  const fake = await startFakeMessages({ steps });
  onTestFinished(fake.close);
  return fake;
}

/** An older model, which gets no default settings. */
export const MODEL = "claude-sonnet-4-5";

export const origin = { provider: "anthropic", api: "messages", model: MODEL };

/** Options that make the fake look like Anthropic. */
export const providerOf = (fake: { readonly baseURL: string }, options: AnthropicProviderOptions = {}) =>
  createAnthropicProvider({
    baseURL: fake.baseURL,
    apiKey: "sk-test-key",
    model: MODEL,
    provider: "anthropic",
    ...options,
  });
