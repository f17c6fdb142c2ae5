import { onTestFinished } from "vitest";
import {
  type FakeMessages,
  type MessagesStep,
  startFakeMessages,
} from "../../../../test/fakes/anthropic-answers.ts";
import { type AnthropicProviderOptions, createAnthropicProvider } from "../../src/index.ts";

export { type AnyAgent, configOf, rich, says } from "../../../../test/models/run.ts";

/** A fake that is closed when the test ends. */
export async function fakeMessages(steps: readonly MessagesStep[]): Promise<FakeMessages> {
  const fake = await startFakeMessages({ steps });
  onTestFinished(fake.close);
  return fake;
}

/** An older model: it gets no settings that were not asked for. */
export const MODEL = "claude-sonnet-4-5";

export const origin = { provider: "anthropic", api: "messages", model: MODEL };

/** As if the fake were Anthropic itself, unless the options say otherwise. */
export const providerOf = (fake: { readonly baseURL: string }, options: AnthropicProviderOptions = {}) =>
  createAnthropicProvider({
    baseURL: fake.baseURL,
    apiKey: "sk-test-key",
    model: MODEL,
    provider: "anthropic",
    ...options,
  });
