import type { ContentPart, ModelOrigin, ProviderMetadata } from "@jaf/memory";

/** Tokens that a model call used, as far as the provider says. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Of the input tokens, those read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
  /** Of the input tokens, those written to it, which some providers charge more for. */
  readonly cacheWriteTokens?: number;
  /** Of the output tokens, those that the model thought with. */
  readonly reasoningTokens?: number;
}

/**
 * A tool call as providers send it. Untrusted, hence lenient: the engine checks it. Further fields are kept with the call,
 * e.g. `extra_content` with a thought signature.
 */
export interface ModelToolCall {
  readonly id?: string;
  /** `"function"` where it is absent. */
  readonly type?: string;
  readonly function?: {
    readonly name?: string;
    /** JSON text. */
    readonly arguments?: string;
  };
  /** Of a call whose `type` is `"custom"`: its input is text. */
  readonly custom?: {
    readonly name?: string;
    readonly input?: string;
  };
  readonly providerMetadata?: ProviderMetadata;
}

/**
 * A model's reply. A choice of OpenAI's chat completions is one as it comes. Further fields of the message are kept with
 * it, e.g. `annotations` or `reasoning_details`. `docs/turns.md` says what becomes of each kind of reply.
 */
export interface ModelCompletion {
  readonly message?: {
    readonly content?: string | readonly ContentPart[] | null;
    readonly tool_calls?: readonly ModelToolCall[] | null;
    /** The words with which the model declines to answer. A part of type `"refusal"` says the same. */
    readonly refusal?: string | null;
    /** What the model thought, as a field beside the content. */
    readonly reasoning_content?: string | null;
    readonly id?: string;
    readonly providerMetadata?: ProviderMetadata;
  };
  /** Which model replied. Stored with the message, so that its opaque parts go back to no other. */
  readonly origin?: ModelOrigin;
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
  /** What the model thinks. Pieces in a row are one reasoning part, unless their `id` changes. */
  | { readonly type: "reasoning_delta"; readonly text: string; readonly id?: string }
  /** A whole part that is neither text nor a call, at its place, e.g. an image or an opaque reasoning item. */
  | { readonly type: "part"; readonly part: ContentPart }
  | {
      readonly type: "tool_call_delta";
      readonly index?: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
    }
  | {
      readonly type: "done";
      readonly usage?: ModelUsage;
      readonly finishReason?: string;
      /** The whole reply as the provider has it. Where it is given, it is what counts, and not what was put together. */
      readonly message?: ModelCompletion["message"];
      readonly origin?: ModelOrigin;
    };
