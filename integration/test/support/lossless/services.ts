import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { type AiSdkModel, createAiSdkProvider } from "@jaf/ai-sdk";
import { createAnthropicProvider } from "@jaf/anthropic";
import type { ModelProvider } from "@jaf/core";
import { createGoogleProvider } from "@jaf/google";
import { createOpenAIProvider, createOpenAIResponsesProvider } from "@jaf/openai";
import { startAnthropic } from "../../../../test/fakes/anthropic-messages.ts";
import type { BrokenReply } from "../../../../test/fakes/came-back.ts";
import { startGemini } from "../../../../test/fakes/gemini.ts";
import type { FakeOptions } from "../../../../test/fakes/model-service.ts";
import { startResponses } from "../../../../test/fakes/openai-responses.ts";
import { startChat } from "./chat-service.ts";

/** The service of a model. */
export type Family =
  | "anthropic"
  | "openai"
  | "responses"
  | "google"
  /** The same service, with JAF's own provider. */
  | "own-gemini"
  | "deepseek"
  | "openrouter"
  | "chat-gpt"
  | "chat-gemini";

/** The services with Chat Completions, each with its own rules. */
const CHATS = [
  { family: "deepseek", mode: "deepseek", dialect: "deepseek" },
  { family: "openrouter", mode: "openrouter", dialect: "compatible" },
  { family: "chat-gpt", mode: "openai", dialect: "openai" },
  { family: "chat-gemini", mode: "gemini", dialect: "gemini" },
] as const;

/** The Anthropic models that use `@jaf/anthropic`. The others use `@ai-sdk/anthropic`. */
const DIRECT: ReadonlySet<string> = new Set(["claude-haiku-5-5", "claude-opus-4-1"]);

export function familyOf(model: string): Family {
  const chat = CHATS.find(({ family }) => model.startsWith(family));
  if (chat !== undefined) return chat.family;
  if (model.startsWith("own-gemini-")) return "own-gemini";
  if (model.startsWith("claude-")) return "anthropic";
  if (model.startsWith("responses-")) return "responses";
  return model.startsWith("gemini-") ? "google" : "openai";
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
  /** The providers of a new process, with new clients. */
  readonly connect: () => ModelProvider<unknown>;
  readonly findings: () => Findings;
  readonly close: () => Promise<void>;
}

/** All services, each with its own server and all with one script: any of them gives the next reply. */
export async function startServices(options: FakeOptions): Promise<Services> {
  const [anthropic, openai, responses, google] = await Promise.all([
    startAnthropic(options),
    startResponses(options),
    startResponses(options),
    startGemini(options),
  ]);
  const fakes = [anthropic, openai, responses, google];
  const chats = await Promise.all(
    CHATS.map(async (chat) => ({ ...chat, ...(await startChat(chat.mode, options)) })),
  );

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
    const providers = new Map<Family, ModelProvider<unknown>>(
      chats.map(({ family, baseURL, dialect }) => [
        family,
        createOpenAIProvider({ baseURL, apiKey: "k", provider: family, dialect }),
      ]),
    );
    const baseURL = `${responses.url}/v1`;
    const provider = "responses";
    const own = createOpenAIResponsesProvider({ baseURL, apiKey: "k", provider, dialect: "openai" });
    providers.set(provider, own);
    const direct = createAnthropicProvider({
      baseURL: anthropic.url,
      apiKey: "k",
      provider: "anthropic-direct",
    });
    providers.set("own-gemini", ownGemini(google.url));
    return byModel((model) => (DIRECT.has(model) ? direct : (providers.get(familyOf(model)) ?? sdk)));
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

const ownGemini = (url: string): ModelProvider<unknown> =>
  createGoogleProvider({
    baseURL: `${url}/v1beta`,
    apiKey: "k",
    provider: "google",
    includeThoughts: true,
  });

/** An application's settings: OpenAI stores nothing, and thinking after changed content is left out. */
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
