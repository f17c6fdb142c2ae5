import type { ModelProvider } from "@jaf/core";
import type { AiProvider } from "./ai-provider.ts";
import { register, reset, setDefault } from "./registered.ts";
import { routingProvider } from "./routing-provider.ts";

/** The model providers of the process. Models are named as `"provider/model"`, e.g. `"anthropic/claude-sonnet-4-6"`. */
export interface AiRegistry {
  /** Throws a `TypeError` if it is no provider, or if another one has its name. */
  readonly register: (provider: AiProvider) => void;
  /**
   * Sets the model of the agents that name none. Its provider may be registered later. Throws a `TypeError` if it isn't
   * `"provider/model"`.
   */
  readonly setDefault: (model: string) => void;
  /** Forgets all providers and the default, e.g. between tests. */
  readonly reset: () => void;
  /**
   * Asks the provider that is registered for the model of each call, whoever names it: an agent, `modelOverride`,
   * `modelFallback`, `extractWith`, middleware. For agents that are values, as `createAgentClient`'s `modelProvider`. A call
   * whose model nobody has fails with a `TypeError`, which says what to call.
   */
  // biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
  readonly modelProvider: ModelProvider<any>;
}

/**
 * @example
 * AiRegistry.register(new AnthropicProvider({ apiKey }));
 * AiRegistry.setDefault("anthropic/claude-sonnet-4-6");
 */
export const AiRegistry: AiRegistry = { register, setDefault, reset, modelProvider: routingProvider };
