import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { type AiSdkModel, createAiSdkProvider } from "@jaf/ai-sdk";
import type { ModelProvider } from "@jaf/core";
import { createOpenAIProvider } from "@jaf/openai";
import { startAnthropic } from "../../../../test/fakes/anthropic-messages.ts";
import type { BrokenReply } from "../../../../test/fakes/came-back.ts";
import { startGemini } from "../../../../test/fakes/gemini.ts";
import type { FakeOptions } from "../../../../test/fakes/model-service.ts";
import { startResponses } from "../../../../test/fakes/openai-responses.ts";
import { startChat } from "./chat-service.ts";

/** Which service has a model. */
export type Family = "anthropic" | "openai" | "google" | "deepseek" | "openrouter";

export function familyOf(model: string): Family {
  if (model.startsWith("openrouter:")) return "openrouter";
  if (model.startsWith("claude-")) return "anthropic";
  if (model.startsWith("gemini-")) return "google";
  return model.startsWith("deepseek-") ? "deepseek" : "openai";
}

export interface Findings {
  readonly requests: number;
  readonly refused: readonly string[];
  readonly returned: number;
  readonly whole: number;
  readonly foreign: readonly string[];
  readonly broken: readonly BrokenReply[];
}

export interface Services {
  /** As a new process has them: all clients are new. */
  readonly connect: () => ModelProvider<unknown>;
  readonly findings: () => Findings;
  readonly close: () => Promise<void>;
}

/** All services, each of its own server, with one script for all: whoever is asked says what comes next. */
export async function startServices(options: FakeOptions): Promise<Services> {
  const [anthropic, openai, google, deepseek, openrouter] = await Promise.all([
    startAnthropic(options),
    startResponses(options),
    startGemini(options),
    startChat("deepseek", options),
    startChat("openrouter", options),
  ]);
  const fakes = [anthropic, openai, google];
  const chats = [deepseek, openrouter];

  function connect(): ModelProvider<unknown> {
    const claude = createAnthropic({ baseURL: `${anthropic.url}/v1`, apiKey: "k" });
    const gpt = createOpenAI({ baseURL: `${openai.url}/v1`, apiKey: "k" });
    const gemini = createGoogleGenerativeAI({ baseURL: `${google.url}/v1beta`, apiKey: "k" });
    const modelOf = (name: string): AiSdkModel => {
      const family = familyOf(name);
      if (family === "anthropic") return claude(name);
      return family === "google" ? gemini(name) : gpt.responses(name);
    };
    const sdk = createAiSdkProvider(modelOf, { providerOptions: GENERAL_OPTIONS });
    const providers: Readonly<Record<Family, ModelProvider<unknown>>> = {
      anthropic: sdk,
      openai: sdk,
      google: sdk,
      deepseek: createOpenAIProvider({ baseURL: deepseek.baseURL, apiKey: "k", provider: "deepseek" }),
      openrouter: createOpenAIProvider({ baseURL: openrouter.baseURL, apiKey: "k", provider: "openrouter" }),
    };
    return byModel((model) => providers[familyOf(model)]);
  }

  return {
    connect,
    findings: () => {
      const found = [...fakes.map((fake) => fake.findings()), ...chats.map((chat) => chat.findings())];
      const requests = fakes.flatMap((fake) => fake.requests);
      return {
        requests: requests.length + chats.reduce((sum, chat) => sum + chat.requests(), 0),
        refused: [
          ...requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal])),
          ...chats.flatMap((chat) => chat.refused()),
        ],
        returned: found.reduce((sum, { returned }) => sum + returned, 0),
        whole: found.reduce((sum, { whole }) => sum + whole, 0),
        foreign: found.flatMap(({ foreign }) => foreign),
        broken: found.flatMap(({ broken }) => broken),
      };
    },
    close: async () => {
      await Promise.all([...fakes, ...chats].map((fake) => fake.close()));
    },
  };
}

/** What an application sets once: nothing is kept at OpenAI, and thinking whose beginning has changed is left out. */
const GENERAL_OPTIONS = {
  openai: { store: false },
  anthropic: { thinking: { blockBinding: { prefixMismatchBehavior: "drop_block" } } },
  google: { thinkingConfig: { includeThoughts: true } },
};

function byModel(providerOf: (model: string) => ModelProvider<unknown>): ModelProvider<unknown> {
  const choose = (...[, agent, config]: Parameters<ModelProvider<unknown>["getCompletion"]>) =>
    providerOf(config.modelOverride ?? agent.modelConfig?.name ?? "");
  return {
    getCompletion: (...request) => choose(...request).getCompletion(...request),
    getCompletionStream: (...request) => {
      const streamed = choose(...request).getCompletionStream?.(...request);
      if (streamed === undefined) throw new TypeError("a provider that doesn't stream");
      return streamed;
    },
  };
}
