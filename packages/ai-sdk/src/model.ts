import type { ModelOrigin } from "@jaf/memory";

/**
 * The structure of an AI SDK language model, with specification `"v2"` (AI SDK 5), `"v3"` (6) or `"v4"` (7), e.g.
 * `anthropic("claude-sonnet-4-5")`.
 */
export interface AiSdkModel {
  /** `"v2"`, `"v3"` or `"v4"`. */
  readonly specificationVersion: string;
  /** The provider and its API, e.g. `"anthropic.messages"`. */
  readonly provider: string;
  /** The model's name, e.g. `"claude-sonnet-4-5"`. */
  readonly modelId: string;
  /** Regular expressions of the URLs that the provider can fetch, by media type. */
  readonly supportedUrls?: unknown;
  /** Returns a whole reply. */
  doGenerate(options: object): PromiseLike<object>;
  /** Returns a reply in pieces. */
  doStream(options: object): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** The part of `ReadableStream` that JAF uses. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** Returns a model by name. The providers of the AI SDK, e.g. `anthropic`, are such functions. */
export type AiSdkModelFactory = (name: string) => AiSdkModel | PromiseLike<AiSdkModel>;

export type Specification = "v2" | "v3" | "v4";

const SPECIFICATIONS: ReadonlySet<string> = new Set<Specification>(["v2", "v3", "v4"]);

const isSpecification = (version: string): version is Specification => SPECIFICATIONS.has(version);

/** A model with a supported specification. */
export interface KnownModel {
  readonly model: AiSdkModel;
  readonly specification: Specification;
  readonly origin: ModelOrigin;
}

/** Throws a `TypeError` if `model` isn't a supported language model, e.g. a model id string, which `ai` accepts. */
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

/** The key of a provider's options, e.g. `"anthropic"` for `"anthropic.messages"`. */
export const providerKey = ({ provider }: AiSdkModel): string => provider.split(".", 1)[0] ?? provider;

export const sameOrigin = (a: ModelOrigin | undefined, b: ModelOrigin): boolean =>
  a !== undefined && a.provider === b.provider && a.api === b.api && a.model === b.model;
