/** Tokens that a model call used, as far as the provider says. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Of the input tokens, those read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
}

/** A tool call as providers send it. Untrusted, hence lenient: the engine checks it. */
export interface ModelToolCall {
  readonly id?: string;
  readonly type?: string;
  readonly function?: {
    readonly name?: string;
    /** JSON text. */
    readonly arguments?: string;
  };
}

/** A model's reply. A choice of OpenAI's chat completions is one as it comes. */
export interface ModelCompletion {
  readonly message?: {
    readonly content?: string | null;
    readonly tool_calls?: readonly ModelToolCall[] | null;
  };
  /** Why the model stopped, in the provider's words, e.g. `"length"`. Passed on in `llm_call_end`. */
  readonly finish_reason?: string | null;
  readonly usage?: ModelUsage;
}

/**
 * A piece of a streamed reply. A stream ends with `done`: one that just stops was cut off, and is retried.
 *
 * The pieces of one tool call share an `index`. The first names `id` and `name`; `arguments` are JSON text to be
 * joined. Where a provider gives no `index`, the pieces share their `id`, and one without either belongs to the call of
 * the piece before it. Chunks of other types are ignored.
 */
export type ModelStreamChunk =
  | { readonly type: "text_delta"; readonly text: string }
  | {
      readonly type: "tool_call_delta";
      readonly index?: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
    }
  | { readonly type: "done"; readonly usage?: ModelUsage; readonly finishReason?: string };
