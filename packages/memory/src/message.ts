import type { ContentPart } from "./content-part.ts";
import type { ProviderMetadata } from "./provider-metadata.ts";

/** One request of the model to run a tool. `arguments` is the JSON text as the model wrote it, never re-encoded. */
export type ToolCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly arguments: string;
  };
};

/** A message of a conversation, as the engine and the stores exchange it. */
export type Message = {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: {
      readonly name: string;
      readonly arguments: string;
    };
  }[];
};

/**
 * Which model wrote a message, as its adapter names them: `{ provider: "openai", api: "chat", model: "gpt-5.1" }`. Opaque
 * parts, such as a reasoning signature, are sent back only to the same origin.
 */
export interface ModelOrigin {
  readonly provider: string;
  /** Which of the provider's APIs: their items differ, and one API doesn't know those of another. */
  readonly api: string;
  readonly model: string;
}

/** A call of a tool whose input is text, not JSON (OpenAI's custom tools). */
export interface CustomToolCall {
  readonly id: string;
  readonly type: "custom";
  readonly custom: { readonly name: string; readonly input: string };
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

export interface FunctionToolCall extends ToolCall {
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** A tool call with every field that the provider sent, e.g. `extra_content` with a thought signature. */
export type RichToolCall = FunctionToolCall | CustomToolCall;

/**
 * What the stores accept and return unchanged: {@link Message} plus content in parts, the `null` content that
 * some providers send beside tool calls, the roles of other frameworks, and any further fields of JSON, `Date`, `URL` and
 * `Uint8Array`.
 *
 * Every `Message` is a `RichMessage`, so reading needs no cast: `const rich: readonly RichMessage[] =
 * conversation.messages`. To write rich messages, parse them with `parseMessages`.
 */
export type RichMessage = Omit<Message, "role" | "content" | "tool_calls"> & {
  /** `system` and `developer` come from other frameworks; they are never treated as the user's words. */
  readonly role: Message["role"] | "system" | "developer";
  readonly content: string | readonly ContentPart[] | null;
  readonly tool_calls?: readonly RichToolCall[];
  /** The model provider's id, which may repeat. The store uses `WriteOptions.messageIds` instead. */
  readonly id?: string;
  /** Of an assistant message. */
  readonly origin?: ModelOrigin;
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
};
