import { type AnthropicProviderOptions, createAnthropicProvider } from "@jaf/anthropic";
import type { ModelProvider } from "@jaf/core";
import { createGoogleProvider, type GoogleProviderOptions } from "@jaf/google";
import {
  createOpenAIProvider,
  createOpenAIResponsesProvider,
  type OpenAIProviderOptions,
  type OpenAIResponsesProviderOptions,
} from "@jaf/openai";
import type { AiProvider } from "./ai-registry.ts";

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
type AnyModelProvider = Required<ModelProvider<any>>;

/** A model provider from a model package, with a name: the option `provider`, or a default name. */
abstract class NamedProvider implements AiProvider {
  readonly name: string;
  readonly getCompletion: AnyModelProvider["getCompletion"];
  readonly getCompletionStream: AnyModelProvider["getCompletionStream"];
  readonly defaultModel: string | undefined;
  readonly service: string | undefined;

  constructor(name: string, { getCompletion, getCompletionStream, defaultModel, service }: AnyModelProvider) {
    this.name = name;
    this.service = service;
    this.defaultModel = defaultModel;
    this.getCompletion = getCompletion;
    this.getCompletionStream = getCompletionStream;
  }
}

/**
 * The model provider of `createAnthropicProvider` (`@jaf/anthropic`), to register in {@link AiRegistry}. Its name is the
 * option `provider`, by default `"anthropic"`.
 *
 * @example
 * ```ts
 * import { AiRegistry, AnthropicProvider } from "@jaf/agents";
 *
 * AiRegistry.register(new AnthropicProvider());
 * AiRegistry.setDefault("anthropic/claude-sonnet-4-6");
 * ```
 */
export class AnthropicProvider extends NamedProvider {
  constructor(options: AnthropicProviderOptions = {}) {
    super(options.provider ?? "anthropic", createAnthropicProvider(options));
  }
}

/**
 * The model provider of `createGoogleProvider` (`@jaf/google`), to register in {@link AiRegistry}. Its name is the option
 * `provider`, by default `"google"`.
 *
 * @example
 * ```ts
 * import { AiRegistry, GoogleProvider } from "@jaf/agents";
 *
 * AiRegistry.register(new GoogleProvider());
 * AiRegistry.setDefault("google/gemini-3-flash");
 * ```
 */
export class GoogleProvider extends NamedProvider {
  constructor(options: GoogleProviderOptions = {}) {
    super(options.provider ?? "google", createGoogleProvider(options));
  }
}

/**
 * The model provider of `createOpenAIProvider` (`@jaf/openai`, Chat Completions), to register in {@link AiRegistry}. Its
 * name is the option `provider`, by default `"openai"`.
 *
 * @example
 * ```ts
 * import { AiRegistry, OpenAIProvider } from "@jaf/agents";
 *
 * AiRegistry.register(new OpenAIProvider({ provider: "ollama", baseURL: "http://localhost:11434/v1" }));
 * AiRegistry.setDefault("ollama/qwen3");
 * ```
 */
export class OpenAIProvider extends NamedProvider {
  constructor(options: OpenAIProviderOptions = {}) {
    super(options.provider ?? "openai", createOpenAIProvider(options));
  }
}

/**
 * The model provider of `createOpenAIResponsesProvider` (`@jaf/openai`), to register in {@link AiRegistry}. Its name is the
 * option `provider`, by default `"openai"`.
 *
 * @example
 * ```ts
 * import { AiRegistry, OpenAIResponsesProvider } from "@jaf/agents";
 *
 * AiRegistry.register(new OpenAIResponsesProvider());
 * AiRegistry.setDefault("openai/gpt-5-mini");
 * ```
 */
export class OpenAIResponsesProvider extends NamedProvider {
  constructor(options: OpenAIResponsesProviderOptions = {}) {
    super(options.provider ?? "openai", createOpenAIResponsesProvider(options));
  }
}
