import type { AiProvider } from "./ai-provider.ts";

interface Registered {
  readonly providers: Map<string, AiProvider>;
  defaultModel: string | undefined;
}

/** On the global object, so that the ES module and the CommonJS module share it: a process may load both. */
const SLOT = Symbol.for("@jaf/agents/registry");

const slots = globalThis as { [SLOT]?: Registered | undefined };

function registered(): Registered {
  slots[SLOT] ??= { providers: new Map(), defaultModel: undefined };
  return slots[SLOT];
}

export function reset(): void {
  slots[SLOT] = undefined;
}

export function register(provider: AiProvider): void {
  const { name, getCompletion }: Partial<AiProvider> = provider ?? {};
  if (typeof name !== "string" || name === "" || name.includes("/")) {
    throw new TypeError('Invalid AI provider: name: expected a text without "/", e.g. "anthropic".');
  }
  if (typeof getCompletion !== "function") {
    throw new TypeError(
      `Invalid AI provider ${quoted(name)}: expected a model provider with getCompletion().`,
    );
  }
  const { providers } = registered();
  if ((providers.get(name) ?? provider) !== provider) {
    throw new TypeError(
      `An AI provider ${quoted(name)} is registered already: give one of them another name, or call AiRegistry.reset() first.`,
    );
  }
  providers.set(name, provider);
}

export function setDefault(model: string): void {
  parseName(model);
  registered().defaultModel = model;
}

/** A model, and the provider that has it. */
interface ResolvedModel {
  readonly provider: AiProvider;
  /** As the provider calls it. */
  readonly model: string;
}

/** Throws a `TypeError` that says what to call. `name`: as `"provider/model"`; default: the process's. */
export function resolveModel(name?: string): ResolvedModel {
  const { providers, defaultModel } = registered();
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

/** The provider's name, and the model's, which may have further slashes, as OpenRouter's do. */
function parseName(name: string): readonly [provider: string, model: string] {
  const [, provider, model] = /^([^/]+)\/(.+)$/s.exec(typeof name === "string" ? name : "") ?? [];
  if (provider !== undefined && model !== undefined) return [provider, model];
  throw new TypeError(`Invalid model ${quoted(name)}: expected "provider/model", e.g. ${quoted(EXAMPLE)}.`);
}

const quoted = (name: string): string => JSON.stringify(name);
