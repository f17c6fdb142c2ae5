import type { ContentPart, ModelOrigin, ProviderMetadata } from "@jaf/memory";
import type { ModelUsage } from "../limits/cost.ts";

/**
 * A tool call from a provider. All fields are optional, because the engine checks them. Further fields are kept with the call,
 * e.g. `extra_content` with a thought signature.
 */
export interface ModelToolCall {
  /** The model's id for the call. Default: an id that the engine creates. */
  readonly id?: string;
  /** `"function"` (default), or `"custom"` for a call with text input. */
  readonly type?: string;
  /** The called tool and its arguments. */
  readonly function?: {
    readonly name?: string;
    /** JSON text. */
    readonly arguments?: string;
  };
  /** Present only with `type` `"custom"`. The input is text. */
  readonly custom?: {
    readonly name?: string;
    readonly input?: string;
  };
  readonly providerMetadata?: ProviderMetadata;
}

/**
 * A model's reply. You can return a choice of OpenAI's chat completions unchanged. Further fields of the message are kept with
 * it, e.g. `annotations` or `reasoning_details`. `docs/turns.md` describes how each kind of reply is handled.
 */
export interface ModelCompletion {
  /** The reply. Without it, the reply is unusable. */
  readonly message?: {
    /** A text, or parts in order. */
    readonly content?: string | readonly ContentPart[] | null;
    readonly tool_calls?: readonly ModelToolCall[] | null;
    /** The text of a refusal. A part of type `"refusal"` means the same. */
    readonly refusal?: string | null;
    /** The model's reasoning, as a separate field. */
    readonly reasoning_content?: string | null;
    readonly id?: string;
    readonly providerMetadata?: ProviderMetadata;
  };
  /** The model that replied. It is stored with the message, so opaque parts are sent back only to that model. */
  readonly origin?: ModelOrigin;
  /** The provider's reason why the model stopped, e.g. `"length"`. Passed on in `llm_call_end`. */
  readonly finish_reason?: string | null;
  /** The tokens that the call used. */
  readonly usage?: ModelUsage;
}

/**
 * A piece of a streamed reply. A complete stream ends with `done`. A stream without it was cut off and is retried.
 *
 * The pieces of one tool call have the same `index`. The first piece has `id` and `name`. The `arguments` of all pieces are
 * joined to JSON text. Without an `index`, pieces with the same `id` belong together; a piece with neither belongs to the call
 * of the previous piece. Chunks of other types are ignored.
 */
export type ModelStreamChunk =
  /** A piece of the reply's text. */
  | { readonly type: "text_delta"; readonly text: string }
  /** Reasoning. Consecutive pieces form one reasoning part, unless their `id` changes. */
  | { readonly type: "reasoning_delta"; readonly text: string; readonly id?: string }
  /** A whole part that is neither text nor a call, e.g. an image or an opaque reasoning item. */
  | { readonly type: "part"; readonly part: ContentPart }
  /** A piece of a tool call. */
  | {
      readonly type: "tool_call_delta";
      readonly index?: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
    }
  /** The end of the reply. */
  | {
      readonly type: "done";
      readonly usage?: ModelUsage;
      readonly finishReason?: string;
      /** The whole reply. If present, it replaces the reply that was joined from the pieces. */
      readonly message?: ModelCompletion["message"];
      readonly origin?: ModelOrigin;
    };
