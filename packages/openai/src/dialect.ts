/**
 * Whose rules an endpoint has beyond the common ones.
 *
 * | dialect | endpoints | what is its own |
 * | --- | --- | --- |
 * | `"openai"` | OpenAI, Azure | `max_completion_tokens`, custom tools, `prompt_cache_key` |
 * | `"deepseek"` | DeepSeek, Kimi | every message of the model has `reasoning_content`; output as `json_object` |
 * | `"gemini"` | Gemini's compatible endpoint | the first call of each step has a thought signature |
 * | `"compatible"` | vLLM, Ollama, LiteLLM, OpenRouter and all others | |
 */
export type Dialect = "openai" | "deepseek" | "gemini" | "compatible";

/** How an agent's `outputCodec` is told to the endpoint. */
export type OutputFormat = "json_schema" | "json_object" | "none";

export interface DialectRules {
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  readonly outputFormat: OutputFormat;
  /** Whether a tool whose input is text is a custom tool. Else it is a function of one text. */
  readonly customTools: boolean;
  /** Whether `prompt_cache_key` is known: others may refuse the field. */
  readonly promptCacheKey: boolean;
  /** Whether arguments that are no JSON may go back as the model wrote them. */
  readonly anyArguments: boolean;
  /** What stands for the reasoning of messages that come from another model: the endpoint refuses messages without one. */
  readonly foreignReasoning: string | undefined;
  /** What stands for the thought signature of a step that comes from elsewhere, likewise. */
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
  // Kimi refuses an empty text there, and takes a space.
  deepseek: { ...COMPATIBLE, outputFormat: "json_object", foreignReasoning: " " },
  // Google documents this value for histories that its models didn't write.
  gemini: { ...COMPATIBLE, foreignSignature: "skip_thought_signature_validator" },
  compatible: COMPATIBLE,
};

export const rulesOf = (dialect: Dialect): DialectRules => RULES[dialect];

const HOSTS: readonly (readonly [RegExp, Dialect])[] = [
  [/(^|\.)api\.openai\.com$|\.openai\.azure\.com$/, "openai"],
  [/(^|\.)(deepseek\.com|moonshot\.(ai|cn)|kimi\.com)$/, "deepseek"],
  [/(^generativelanguage|aiplatform)\.googleapis\.com$/, "gemini"],
];

/** A gateway puts a provider before the name, as in `deepseek/deepseek-chat`, and then knows the provider's rules itself. */
const MODELS: readonly (readonly [RegExp, Dialect])[] = [
  [/^(deepseek|kimi|moonshot)[^/]*$/i, "deepseek"],
  [/^gemini-[^/]*$/i, "gemini"],
];

/** By the endpoint's host; where that is nobody's in particular, by the model. */
export function dialectOf(host: string, model: string): Dialect {
  const known =
    HOSTS.find(([pattern]) => pattern.test(host)) ?? MODELS.find(([pattern]) => pattern.test(model));
  return known?.[1] ?? "compatible";
}
