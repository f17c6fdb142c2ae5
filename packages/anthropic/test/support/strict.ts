import { onTestFinished } from "vitest";
import { startAnthropic } from "../../../../test/fakes/anthropic-messages.ts";
import type { FakeService } from "../../../../test/fakes/model-service.ts";
import { createOpaqueValues, type OpaqueValues } from "../../../../test/fakes/opaque-values.ts";
import { inTurn, type ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import { type AnthropicProviderOptions, createAnthropicProvider } from "../../src/index.ts";

/** Starts a fake with Anthropic's rules, including those of thinking, and a provider for it. Closes after the test. */
export async function strictAnthropic(
  replies: readonly ScriptedReply[],
  options: AnthropicProviderOptions = {},
  opaque: OpaqueValues = createOpaqueValues(),
) {
  const fake: FakeService = await startAnthropic({ next: inTurn(replies), opaque });
  onTestFinished(fake.close);
  const provider = createAnthropicProvider({
    baseURL: fake.url,
    apiKey: "k",
    provider: "anthropic",
    ...options,
  });
  const refusals = () => fake.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  return { fake, provider, refusals };
}

/** Expects no refusals, no changed blocks, and no blocks of other models. */
export const CLEAN = { foreign: [], broken: [] };
