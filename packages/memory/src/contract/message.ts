export const messageRoles = ["user", "assistant", "tool", "system", "developer"] as const;

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

/**
 * One part of a content in parts. Parts of other frameworks, e.g. `{ type: "image_url", image_url }`, are stored as they
 * are.
 */
export type ContentPart = KnownPart | OtherPart;

/** A part that JAF knows. Narrow it by `type`. */
export type KnownPart =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | MediaPart
  | ToolCallPart
  | ProviderToolCallPart
  | ProviderToolResultPart
  | SourcePart;

/** A part of a type that JAF doesn't know: stored, and sent back to the message's origin. */
export interface OtherPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface PartBase {
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  /** Added for one turn only, e.g. facts about the user: not part of the stored conversation, and gone in the next turn. */
  readonly transient?: boolean;
}

/**
 * A model's reasoning before its answer. `text` is readable; `signature` and `encrypted` are opaque, and are sent
 * back unchanged, only to the message's origin. Never part of the message's text.
 */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text?: string;
  readonly signature?: string;
  readonly encrypted?: string;
}

/** The model's refusal to answer, in its words. */
export interface RefusalPart extends PartBase {
  readonly type: "refusal";
  readonly refusal: string;
}

/** An image, a sound or a file: its bytes (base64 if `data` is a string), a URL, or a file id of the model provider. */
export interface MediaPart extends PartBase {
  readonly type: "media";
  /** An IANA media type, e.g. `image/png`. */
  readonly mediaType: string;
  readonly data?: Uint8Array | string;
  /** In place of `data`, if `withBlobs` wraps the memory provider. */
  readonly blob?: BlobReference;
  readonly url?: URL | string;
  readonly fileId?: string;
  readonly filename?: string;
}

/** Replaces the `data` of a media part, whose bytes are in a `BlobStore` under the same conversation. */
export interface BlobReference {
  /** Of the bytes, 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** `"base64"`: `data` was base64 text, and is returned as text. Absent: it was a `Uint8Array`. */
  readonly encoding?: "base64";
}

/** Marks the position of one of the message's `tool_calls` among its parts. Calls without a mark come after all parts. */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  /** The id of the call. */
  readonly id: string;
}

/** A call of a tool that the model provider runs itself, e.g. its web search: it needs no answer. */
export interface ProviderToolCallPart extends PartBase {
  readonly type: "provider-tool-call";
  readonly id: string;
  readonly name: string;
  readonly input?: unknown;
}

export interface ProviderToolResultPart extends PartBase {
  readonly type: "provider-tool-result";
  /** The id of the call. */
  readonly id: string;
  readonly name?: string;
  readonly output?: unknown;
  readonly isError?: boolean;
}

/** A source that a reply is based on. */
export interface SourcePart extends PartBase {
  readonly type: "source";
  readonly url?: string;
  readonly title?: string;
}

/** Data that the adapter of a model provider stores for its own use, by the provider's name. Never accepted from a client. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;
