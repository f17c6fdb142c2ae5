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
  type ChatStep,
  type FakeChat,
  type FakeChatOptions,
  startFakeChat,
} from "../../../../test/fakes/openai-chat.ts";
import { createOpenAIProvider, type OpenAIProviderOptions } from "../../src/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any context and output
export type AnyAgent = Agent<any, any>;

/** A fake that is closed when the test ends. */
export async function fakeChat(
  steps: readonly ChatStep[],
  options: Omit<FakeChatOptions, "steps"> = {},
): Promise<FakeChat> {
  const fake = await startFakeChat({ steps, ...options });
  onTestFinished(fake.close);
  return fake;
}

/** As if the fake were OpenAI itself, unless the options say otherwise. */
export const providerOf = (fake: FakeChat, options: OpenAIProviderOptions = {}) =>
  createOpenAIProvider({
    baseURL: fake.baseURL,
    apiKey: "sk-test-key",
    model: "gpt-test",
    provider: "openai",
    dialect: "openai",
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
