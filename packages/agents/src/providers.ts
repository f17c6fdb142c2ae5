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

/** A provider of a model package under a name: its option `provider`, or what the package itself calls the service. */
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

/** `createAnthropicProvider` of `@jaf/anthropic`, as `"anthropic"`, or under the name of the option `provider`. */
export class AnthropicProvider extends NamedProvider {
  constructor(options: AnthropicProviderOptions = {}) {
    super(options.provider ?? "anthropic", createAnthropicProvider(options));
  }
}

/** `createGoogleProvider` of `@jaf/google`, as `"google"`, or under the name of the option `provider`. */
export class GoogleProvider extends NamedProvider {
  constructor(options: GoogleProviderOptions = {}) {
    super(options.provider ?? "google", createGoogleProvider(options));
  }
}

/** `createOpenAIProvider` of `@jaf/openai`: Chat Completions, as `"openai"`, or under the name of the option `provider`. */
export class OpenAIProvider extends NamedProvider {
  constructor(options: OpenAIProviderOptions = {}) {
    super(options.provider ?? "openai", createOpenAIProvider(options));
  }
}

/** `createOpenAIResponsesProvider` of `@jaf/openai`, as `"openai"`, or under the name of the option `provider`. */
export class OpenAIResponsesProvider extends NamedProvider {
  constructor(options: OpenAIResponsesProviderOptions = {}) {
    super(options.provider ?? "openai", createOpenAIResponsesProvider(options));
  }
}
