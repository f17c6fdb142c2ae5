/** Whether the model calls tools, and which one: see `ModelConfig.toolChoice`. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** From no reasoning to the maximum. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** An agent's settings for the model. The provider chooses the values of absent fields. */
export type ModelConfig = {
  /** The model's name, e.g. `"gpt-4"`. `RunConfig.modelOverride` takes precedence. */
  readonly name?: string;
  readonly temperature?: number;
  /** Nucleus sampling, from 0 to 1. */
  readonly topP?: number;
  /** The longest reply, in tokens. */
  readonly maxTokens?: number;
  /** How much a model reasons before it replies. A provider uses the nearest value that its model has. */
  readonly reasoningEffort?: ReasoningEffort;
  /**
   * Whether the model calls tools: as it decides (`"auto"`), not at all (`"none"`), at least one (`"required"`), or this one. Once
   * it has called tools for the user's last message, `"required"` and a tool's name count as `"auto"`; otherwise the run would
   * never get a final reply.
   */
  readonly toolChoice?: ToolChoice;
  /** Options of a single provider, by its name, as JSON: `{ openai: { service_tier: "flex" } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** How long one attempt of a call may take, in milliseconds. Takes precedence over `RunConfig.timeouts.modelMs`. */
  readonly timeoutMs?: number;
};
