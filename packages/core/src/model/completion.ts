import type { ContentPart, ModelOrigin, ProviderMetadata } from "@jaf/memory";
import type { ModelUsage } from "../limits/cost.ts";

/**
 * A tool call as a model provider returns it. All fields are optional, because the engine checks them. Further fields
 * are kept with the call (e.g. `extra_content` with a thought signature).
 */
export interface ModelToolCall {
  /** The model's id for the call. Default: the engine creates an id. */
  readonly id?: string;
  /** `"function"` (default), or `"custom"` for a call whose input is a text and not JSON. */
  readonly type?: string;
  /** The name of the called tool, and its arguments. */
  readonly function?: {
    readonly name?: string;
    /** The arguments as JSON text. */
    readonly arguments?: string;
  };
  /** The name of the called tool, and its text input. Absent unless `type` is `"custom"`. */
  readonly custom?: {
    readonly name?: string;
    readonly input?: string;
  };
  readonly providerMetadata?: ProviderMetadata;
}

/**
 * A model's reply, as a model provider returns it. You can return a choice of OpenAI's chat completions unchanged. Further
 * fields of the message are kept with the message (e.g. `annotations` or `reasoning_details`). `docs/turns.md` describes how
 * each kind of reply is handled.
 */
export interface ModelCompletion {
  /** The reply's message. If it is absent, the reply is unusable. */
  readonly message?: {
    /** A text, or content parts in order. */
    readonly content?: string | readonly ContentPart[] | null;
    readonly tool_calls?: readonly ModelToolCall[] | null;
    /** The text of a refusal. A content part of type `"refusal"` means the same. */
    readonly refusal?: string | null;
    /** The model's reasoning, in a separate field. */
    readonly reasoning_content?: string | null;
    readonly id?: string;
    readonly providerMetadata?: ProviderMetadata;
  };
  /**
   * The model that replied. It is stored with the message. Parts that only this model can read (e.g. encrypted
   * reasoning) are sent back only to the same model.
   */
  readonly origin?: ModelOrigin;
  /** Why the model stopped, in the words of the model provider (e.g. `"length"`). The event `llm_call_end` contains it. */
  readonly finish_reason?: string | null;
  /** The tokens that the call used. */
  readonly usage?: ModelUsage;
}

/**
 * A piece of a streamed reply. The last chunk of a complete stream is a `done` chunk. A stream without it was cut off,
 * and the call is retried. Chunks of unknown types are ignored.
 *
 * The pieces of one tool call have the same `index`. The first piece of a call has `id` and `name`. The `arguments` of
 * all pieces of a call, joined in order, are a JSON text. Without an `index`, pieces with the same `id` belong to the
 * same call. A piece without `index` and `id` belongs to the call of the previous piece.
 */
export type ModelStreamChunk =
  /** A piece of the reply's text. */
  | { readonly type: "text_delta"; readonly text: string }
  /** A piece of the model's reasoning. Consecutive pieces form one reasoning part, unless their `id` changes. */
  | { readonly type: "reasoning_delta"; readonly text: string; readonly id?: string }
  /** A whole content part that is neither text nor a call (e.g. an image or an opaque reasoning item). */
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
      /**
       * The whole message, in place of the message that was joined from the pieces. Absent: the joined message is the
       * reply.
       */
      readonly message?: ModelCompletion["message"];
      readonly origin?: ModelOrigin;
    };
