/**
 * The rules that an endpoint has in addition to the common ones.
 *
 * | dialect | endpoints | differences |
 * | --- | --- | --- |
 * | `"openai"` | OpenAI, Azure | `max_completion_tokens`, custom tools, `prompt_cache_key` |
 * | `"deepseek"` | DeepSeek, Kimi | every assistant message has `reasoning_content`; output as `json_object` |
 * | `"gemini"` | Gemini's compatible endpoint | the first call of each step has a thought signature |
 * | `"compatible"` | vLLM, Ollama, LiteLLM, OpenRouter and all others | |
 */
export type Dialect = "openai" | "deepseek" | "gemini" | "compatible";

/** How the agent's `outputCodec` is sent. */
export type OutputFormat = "json_schema" | "json_object" | "none";

export interface DialectRules {
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  readonly outputFormat: OutputFormat;
  /** Whether tools with text input are sent as custom tools. Else they are functions with one text parameter. */
  readonly customTools: boolean;
  /** Whether the endpoint knows `prompt_cache_key`. Others may refuse the field. */
  readonly promptCacheKey: boolean;
  /** Whether the endpoint accepts invalid JSON as arguments of earlier calls. */
  readonly anyArguments: boolean;
  /** Placeholder for the reasoning of messages from other models: the endpoint refuses messages without it. */
  readonly foreignReasoning: string | undefined;
  /** Placeholder for the thought signature of steps from other models, which the endpoint requires, too. */
  readonly foreignSignature: string | undefined;
}

const COMPATIBLE: DialectRules = {
  maxTokensField: "max_tokens",
  outputFormat: "json_schema",
  customTools: false,
  promptCacheKey: false,
  anyArguments: false,
  foreignReasoning: undefined,
  foreignSignature: undefined,
};

const RULES: Readonly<Record<Dialect, DialectRules>> = {
  openai: {
    ...COMPATIBLE,
    maxTokensField: "max_completion_tokens",
    customTools: true,
    promptCacheKey: true,
    anyArguments: true,
  },
  // Kimi refuses an empty text, but accepts a space.
  deepseek: { ...COMPATIBLE, outputFormat: "json_object", foreignReasoning: " " },
  // Google documents this value for histories from other models.
  gemini: { ...COMPATIBLE, foreignSignature: "skip_thought_signature_validator" },
  compatible: COMPATIBLE,
};

export const rulesOf = (dialect: Dialect): DialectRules => RULES[dialect];

const HOSTS: readonly (readonly [RegExp, Dialect])[] = [
  [/(^|\.)api\.openai\.com$|\.(openai|cognitiveservices|services\.ai)\.azure\.com$/, "openai"],
  [/(^|\.)(deepseek\.com|moonshot\.(ai|cn)|kimi\.com)$/, "deepseek"],
  [/(^generativelanguage|aiplatform)\.googleapis\.com$/, "gemini"],
];

/** Names with a prefix, such as `deepseek/deepseek-chat`, belong to gateways, which apply the provider's rules themselves. */
const MODELS: readonly (readonly [RegExp, Dialect])[] = [
  [/^(deepseek|kimi|moonshot)[^/]*$/i, "deepseek"],
  [/^gemini-[^/]*$/i, "gemini"],
];

/** The dialect by the endpoint's host, or by the model if the host is unknown. */
export function dialectOf(host: string, model: string): Dialect {
  const known =
    HOSTS.find(([pattern]) => pattern.test(host)) ?? MODELS.find(([pattern]) => pattern.test(model));
  return known?.[1] ?? "compatible";
}
