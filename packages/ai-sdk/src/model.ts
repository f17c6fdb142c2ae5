import type { ModelOrigin } from "@jaf/memory";

/**
 * A language model of the AI SDK, by structure: of specification `"v2"` (AI SDK 5), `"v3"` (6) or `"v4"` (7). What the
 * providers of the AI SDK return is one, e.g. `anthropic("claude-sonnet-4-5")`.
 */
export interface AiSdkModel {
  readonly specificationVersion: string;
  /** E.g. `"anthropic.messages"`. */
  readonly provider: string;
  readonly modelId: string;
  /** Regular expressions of the addresses that the provider reads itself, by media type. */
  readonly supportedUrls?: unknown;
  doGenerate(options: object): PromiseLike<object>;
  doStream(options: object): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** As much of a `ReadableStream` as is needed. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** Gives the model of a name; a provider of the AI SDK is one, e.g. `anthropic`. */
export type AiSdkModelFactory = (name: string) => AiSdkModel | PromiseLike<AiSdkModel>;

export type Specification = "v2" | "v3" | "v4";

const SPECIFICATIONS: ReadonlySet<string> = new Set<Specification>(["v2", "v3", "v4"]);

const isSpecification = (version: string): version is Specification => SPECIFICATIONS.has(version);

/** A model whose specification is known. */
export interface KnownModel {
  readonly model: AiSdkModel;
  readonly specification: Specification;
  readonly origin: ModelOrigin;
}

/** Throws a `TypeError` for what is no language model, such as the model ids that `ai` takes as texts. */
export function knownModel(model: AiSdkModel): KnownModel {
  const version: unknown =
    typeof model === "object" && model !== null ? model.specificationVersion : undefined;
  if (typeof version !== "string" || typeof model.doGenerate !== "function") {
    throw new TypeError("Expected a language model of the AI SDK, such as a provider of it returns.");
  }
  if (!isSpecification(version)) {
    throw new TypeError(
      `The language model is of specification "${version}": "v2", "v3" and "v4" are supported.`,
    );
  }
  const { provider, modelId } = model;
  return {
    model,
    specification: version,
    origin: { provider, api: `ai-sdk-${version}`, model: modelId },
  };
}

/** The name under which a provider looks for its options, e.g. `"anthropic"` of `"anthropic.messages"`. */
export const providerKey = ({ provider }: AiSdkModel): string => provider.split(".", 1)[0] ?? provider;

export const sameOrigin = (a: ModelOrigin | undefined, b: ModelOrigin): boolean =>
  a !== undefined && a.provider === b.provider && a.api === b.api && a.model === b.model;
