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
import { createGoogleProvider, type GoogleProviderOptions } from "../../src/index.ts";
import { type GeminiServer, startGeminiServer } from "./gemini-server.ts";

export type { GeminiServer, Raw, Step } from "./gemini-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any context and output
export type AnyAgent = Agent<any, any>;

export const MODEL = "gemini-3-pro-preview";

/** A server that is closed when the test ends. */
export async function gemini(...args: Parameters<typeof startGeminiServer>): Promise<GeminiServer> {
  const server = await startGeminiServer(...args);
  onTestFinished(server.close);
  return server;
}

/** As if the server were Google's, unless the options say otherwise. */
export const providerOf = ({ baseURL }: Pick<GeminiServer, "baseURL">, options: GoogleProviderOptions = {}) =>
  createGoogleProvider({ baseURL, apiKey: "AIza-test", model: MODEL, provider: "google", ...options });

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

export const says = (content: string) => asking([{ role: "user", content }]);

export const asking = (messages: readonly RichMessage[]) =>
  createRunState<unknown>({ agentName: "helper", context: {}, messages: messages as never });

export const rich = ({ finalState }: RunResult<unknown>): readonly RichMessage[] => finalState.messages;

export function errorOf({ outcome }: RunResult<unknown>): JAFError {
  if (outcome.status !== "error") throw new Error(`The run ended as ${outcome.status}.`);
  return outcome.error;
}
