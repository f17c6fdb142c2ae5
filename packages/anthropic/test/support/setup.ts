import {
  type Agent,
  createRunState,
  type JAFError,
  type RunConfig,
  type RunResult,
  type TraceEvent,
} from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { onTestFinished } from "vitest";
import {
  type FakeMessages,
  type MessagesStep,
  startFakeMessages,
} from "../../../../test/fakes/anthropic-answers.ts";
import { type AnthropicProviderOptions, createAnthropicProvider } from "../../src/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any context and output
export type AnyAgent = Agent<any, any>;

/** A fake that is closed when the test ends. */
export async function fakeMessages(
  steps: readonly MessagesStep[],
  options: { readonly apiKey?: string } = {},
): Promise<FakeMessages> {
  const fake = await startFakeMessages({ steps, ...options });
  onTestFinished(fake.close);
  return fake;
}

/** An older model: nothing is set for it that nobody asked for. */
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

/** Of one agent, that begins with nothing stored and doesn't wait between attempts. */
export function configOf(
  modelProvider: RunConfig<unknown>["modelProvider"],
  agent: Partial<AnyAgent> = {},
  config: Partial<RunConfig<unknown>> = {},
) {
  const events: TraceEvent[] = [];
  const full: RunConfig<unknown> = {
    agentRegistry: new Map([["helper", { name: "helper", instructions: () => "You help.", ...agent }]]),
    modelProvider,
    modelRetry: { maxAttempts: 2, baseDelayMs: 0 },
    onEvent: (event) => events.push(event),
    ...config,
  };
  return { config: full, events };
}

export const says = (content: string) =>
  createRunState<unknown>({ agentName: "helper", context: {}, messages: [{ role: "user", content }] });

export const rich = ({ finalState }: RunResult<unknown>): readonly RichMessage[] => finalState.messages;

export function errorOf({ outcome }: RunResult<unknown>): JAFError {
  if (outcome.status !== "error") throw new Error(`The run ended as ${outcome.status}.`);
  return outcome.error;
}
