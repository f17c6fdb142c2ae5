import type { ModelProvider, ModelStreamChunk } from "@jaf/core";
import { checkRelease, present } from "@jaf/memory/internal";

/**
 * A model provider with a name, e.g. `AnthropicProvider`. The name is the part before the `/` in model names. You can give
 * a name to any model provider whose methods are own properties: `{ name: "mine", ...modelProvider }`.
 */
// biome-ignore lint/suspicious/noExplicitAny: a provider of the process looks at no context, and works with every one
export interface AiProvider extends ModelProvider<any> {
  /** The part before the `/` in model names. It contains no `/` itself. */
  readonly name: string;
}

/**
 * Holds the model providers of the process. Model names have the form `"provider/model"`, e.g.
 * `"anthropic/claude-sonnet-4-6"`.
 */
export interface AiRegistry {
  /**
   * Registers a model provider. Throws a `TypeError` if the provider is invalid, or if another provider has the same name.
   */
  readonly register: (provider: AiProvider) => void;
  /**
   * Sets the model for agents that set no model. You can register this model's provider later. Throws a `TypeError` if the
   * name doesn't have the form `"provider/model"`.
   */
  readonly setDefault: (model: string) => void;
  /** Removes all model providers and the default model, e.g. between tests. */
  readonly reset: () => void;
  /**
   * A model provider that passes each call to the registered provider of the call's model. The model can come from an
   * agent, `modelOverride`, `modelFallback`, `extractWith` or middleware. Pass this model provider as `modelProvider`
   * to `createAgentClient`. A call with a model that isn't registered fails with a `TypeError` that says what to do.
   */
  // biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
  readonly modelProvider: ModelProvider<any>;
}

interface RegistryState {
  readonly providers: Map<string, AiProvider>;
  defaultModel: string | undefined;
}

/**
 * Key of the registry on the global object. If a process loads both the ES module and the CommonJS module, both share the
 * registry.
 */
const SLOT = Symbol.for("@jaf/agents/registry");

const slots = globalThis as { [SLOT]?: RegistryState | undefined };

function registryState(): RegistryState {
  slots[SLOT] ??= { providers: new Map(), defaultModel: undefined };
  return slots[SLOT];
}

function reset(): void {
  slots[SLOT] = undefined;
}

function register(provider: AiProvider): void {
  checkRelease(globalThis.JAF_RELEASE);
  const { name, getCompletion }: Partial<AiProvider> = provider ?? {};
  if (typeof name !== "string" || name === "" || name.includes("/")) {
    throw new TypeError('Invalid AI provider: name: expected a text without "/", e.g. "anthropic".');
  }
  if (typeof getCompletion !== "function") {
    throw new TypeError(
      `Invalid AI provider ${quoted(name)}: expected a model provider with getCompletion().`,
    );
  }
  const { providers } = registryState();
  if ((providers.get(name) ?? provider) !== provider) {
    throw new TypeError(
      `An AI provider ${quoted(name)} is registered already: give one of them another name, or call AiRegistry.reset() first.`,
    );
  }
  providers.set(name, provider);
}

function setDefault(model: string): void {
  parseName(model);
  registryState().defaultModel = model;
}

/** A model's name and the registered provider that calls it. */
interface ResolvedModel {
  readonly provider: AiProvider;
  /** The model's name without the provider's name. */
  readonly model: string;
}

/**
 * Returns the model and the provider for a name `"provider/model"`. Without a name, uses the model of `setDefault`.
 * Throws a `TypeError` if neither a name nor a default model is given, or if the provider isn't registered. The error's
 * message says what to do.
 */
export function resolveModel(name?: string): ResolvedModel {
  const { providers, defaultModel } = registryState();
  if (providers.size === 0) {
    throw new TypeError(
      "No AI provider is registered: call AiRegistry.register(new AnthropicProvider()) first, or that of another service.",
    );
  }
  const wanted = name ?? defaultModel;
  if (wanted === undefined) {
    throw new TypeError(
      `No model is named: call AiRegistry.setDefault(${quoted(EXAMPLE)}), or return such a name from the agent's model().`,
    );
  }
  const [providerName, model] = parseName(wanted);
  const provider = providers.get(providerName);
  if (provider !== undefined) return { provider, model };
  const known = [...providers.keys()].map(quoted).join(", ");
  throw new TypeError(
    `No AI provider ${quoted(providerName)} is registered, as the model ${quoted(wanted)} needs: call AiRegistry.register with it. Registered: ${known}.`,
  );
}

const EXAMPLE = "anthropic/claude-sonnet-4-6";

/** Splits a model name at its first slash. The model's part can contain more slashes, e.g. in names of OpenRouter. */
function parseName(name: string): readonly [provider: string, model: string] {
  const [, provider, model] = /^([^/]+)\/(.+)$/s.exec(typeof name === "string" ? name : "") ?? [];
  if (provider !== undefined && model !== undefined) return [provider, model];
  throw new TypeError(`Invalid model ${quoted(name)}: expected "provider/model", e.g. ${quoted(EXAMPLE)}.`);
}

const quoted = (name: string): string => JSON.stringify(name);

type CompletionArguments = Parameters<AiProvider["getCompletion"]>;

/**
 * Passes a call to the registered provider of the run's model, or of the default model. The registered provider gets
 * the model's name without the provider's name, as `modelOverride`.
 */
// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
const routingProvider: Required<ModelProvider<any>> = {
  service: undefined, // It passes calls to several services.
  get defaultModel() {
    return registryState().defaultModel;
  },
  getCompletion: async (...call) => {
    const { provider, request } = route(call);
    return provider.getCompletion(...request);
  },
  getCompletionStream: async function* (...call) {
    const { provider, request } = route(call);
    if (provider.getCompletionStream === undefined) yield await unstreamed(provider, request);
    else yield* provider.getCompletionStream(...request);
  },
};

function route([state, agent, config]: CompletionArguments): {
  readonly provider: AiProvider;
  readonly request: CompletionArguments;
} {
  const { provider, model } = resolveModel(config.modelOverride ?? agent.modelConfig?.name);
  return { provider, request: [state, agent, { ...config, modelOverride: model }] };
}

async function unstreamed(provider: AiProvider, request: CompletionArguments): Promise<ModelStreamChunk> {
  const { message, origin, usage, finish_reason } = await provider.getCompletion(...request);
  return { type: "done", message, ...present({ origin, usage, finishReason: finish_reason ?? undefined }) };
}

/**
 * Holds the model providers of the process, for all agents without their own `modelProvider`.
 *
 * @example
 * ```ts
 * import { AiRegistry, AnthropicProvider } from "@jaf/agents";
 *
 * AiRegistry.register(new AnthropicProvider({ apiKey: process.env["ANTHROPIC_API_KEY"] }));
 * AiRegistry.setDefault("anthropic/claude-sonnet-4-6");
 * ```
 */
export const AiRegistry: AiRegistry = { register, setDefault, reset, modelProvider: routingProvider };
