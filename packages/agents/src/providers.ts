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

/** A provider of a model package with a name: the option `provider`, or the package's name for the service. */
abstract class NamedProvider implements AiProvider {
  readonly name: string;
  readonly getCompletion: AnyModelProvider["getCompletion"];
  readonly getCompletionStream: AnyModelProvider["getCompletionStream"];

  constructor(name: string, { getCompletion, getCompletionStream }: AnyModelProvider) {
    this.name = name;
    this.getCompletion = getCompletion;
    this.getCompletionStream = getCompletionStream;
  }
}

/** `createAnthropicProvider` of `@jaf/anthropic`. Its name is `"anthropic"`, or the option `provider`. */
export class AnthropicProvider extends NamedProvider {
  constructor(options: AnthropicProviderOptions = {}) {
    super(options.provider ?? "anthropic", createAnthropicProvider(options));
  }
}

/** `createGoogleProvider` of `@jaf/google`. Its name is `"google"`, or the option `provider`. */
export class GoogleProvider extends NamedProvider {
  constructor(options: GoogleProviderOptions = {}) {
    super(options.provider ?? "google", createGoogleProvider(options));
  }
}

/** `createOpenAIProvider` of `@jaf/openai` (Chat Completions). Its name is `"openai"`, or the option `provider`. */
export class OpenAIProvider extends NamedProvider {
  constructor(options: OpenAIProviderOptions = {}) {
    super(options.provider ?? "openai", createOpenAIProvider(options));
  }
}

/** `createOpenAIResponsesProvider` of `@jaf/openai`. Its name is `"openai"`, or the option `provider`. */
export class OpenAIResponsesProvider extends NamedProvider {
  constructor(options: OpenAIResponsesProviderOptions = {}) {
    super(options.provider ?? "openai", createOpenAIResponsesProvider(options));
  }
}
