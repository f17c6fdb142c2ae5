import { onTestFinished } from "vitest";
import { startAnthropic } from "../../../../test/fakes/anthropic-messages.ts";
import type { FakeService } from "../../../../test/fakes/model-service.ts";
import { createOpaqueValues, type OpaqueValues } from "../../../../test/fakes/opaque-values.ts";
import { inTurn, type ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import { type AnthropicProviderOptions, createAnthropicProvider } from "../../src/index.ts";

/** Anthropic with its rules of thinking, too, and a provider for it; closed when the test ends. */
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

/** Nothing refused, nothing changed, nothing of another model's. */
export const CLEAN = { foreign: [], broken: [] };
