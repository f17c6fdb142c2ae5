/** Whether the model calls tools, or which one: see `ModelConfig.toolChoice`. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** From none at all to as much as the model can. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** What an agent asks of the model. Absent fields are the provider's to choose. */
export type ModelConfig = {
  /** The model's name, e.g. `"gpt-4"`. `RunConfig.modelOverride` outranks it. */
  readonly name?: string;
  readonly temperature?: number;
  /** Nucleus sampling, from 0 to 1. */
  readonly topP?: number;
  /** The longest reply, in tokens. */
  readonly maxTokens?: number;
  /** How much a reasoning model thinks before it replies; a provider takes the nearest that its model has. */
  readonly reasoningEffort?: ReasoningEffort;
  /**
   * Whether the model calls tools: as it sees fit (`"auto"`), not at all (`"none"`), at least one (`"required"`), or this
   * one. Once it has called tools for what the user said last, `"required"` and a tool's name count as `"auto"`, or the run
   * would never come to a reply.
   */
  readonly toolChoice?: ToolChoice;
  /** What only one provider knows, by the provider's name, as JSON: `{ openai: { service_tier: "flex" } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** How long one attempt of a call may take, in milliseconds. Outranks `RunConfig.modelTimeoutMs`. */
  readonly timeoutMs?: number;
};
