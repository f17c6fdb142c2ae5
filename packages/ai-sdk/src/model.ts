import type { ModelOrigin } from "@jaf/memory";

/**
 * A language model of the AI SDK, e.g. `anthropic("claude-sonnet-4-5")`. Its specification (the SDK's interface for models)
 * is `"v2"` (AI SDK 5), `"v3"` (AI SDK 6) or `"v4"` (AI SDK 7).
 */
export interface AiSdkModel {
  /** The version of the model's interface: `"v2"`, `"v3"` or `"v4"`. */
  readonly specificationVersion: string;
  /** The provider's name and its API, e.g. `"anthropic.messages"`. */
  readonly provider: string;
  /** The model's name, e.g. `"claude-sonnet-4-5"`. */
  readonly modelId: string;
  /** Which URLs the provider can load by itself: regular expressions by media type. */
  readonly supportedUrls?: unknown;
  /** Calls the model and returns the whole reply. */
  doGenerate(options: object): PromiseLike<object>;
  /** Calls the model and returns a stream of the reply's pieces. */
  doStream(options: object): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** The part of `ReadableStream` that JAF uses. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** A function that returns a model by its name. The AI SDK's providers, e.g. `anthropic`, are such functions. */
export type AiSdkModelFactory = (name: string) => AiSdkModel | PromiseLike<AiSdkModel>;

export type Specification = "v2" | "v3" | "v4";

const isSpecification = (version: string): version is Specification => /^v[234]$/.test(version);

/** A model with a supported specification, and the model's origin for stored messages. */
export interface KnownModel {
  readonly model: AiSdkModel;
  readonly specification: Specification;
  readonly origin: ModelOrigin;
}

/**
 * Returns the model with its specification. Throws a `TypeError` if `model` isn't a supported language model. A model id as
 * text isn't supported, although the SDK's own functions accept it.
 */
export function knownModel(model: AiSdkModel): KnownModel {
  const version: unknown =
    typeof model === "object" && model !== null ? model.specificationVersion : undefined;
  if (typeof version !== "string" || typeof model.doGenerate !== "function") {
    throw new TypeError("Expected a language model of the AI SDK, as its providers return it.");
  }
  if (!isSpecification(version)) {
    throw new TypeError(
      `The language model has specification "${version}". Supported are "v2", "v3" and "v4".`,
    );
  }
  const { provider, modelId } = model;
  return {
    model,
    specification: version,
    origin: { provider, api: `ai-sdk-${version}`, model: modelId },
  };
}

/** Returns the key of a provider's options, e.g. `"anthropic"` for the provider `"anthropic.messages"`. */
export const providerKey = ({ provider }: AiSdkModel): string => provider.split(".", 1)[0] ?? provider;

/** The names of the tools that a model can call. */
export interface CallableTools {
  /** The agent's own tools. */
  readonly own: ReadonlySet<string>;
  /** The tools of the model's provider that the request configures, with their ids. */
  readonly provider: ReadonlyMap<string, string>;
}
