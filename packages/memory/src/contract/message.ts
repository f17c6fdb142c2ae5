export const messageRoles = ["user", "assistant", "tool", "system", "developer"] as const;

/** The model's request to run a tool. `arguments` is the JSON text as the model wrote it, never re-encoded. */
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
 * The model that wrote a message, as its adapter names it: `{ provider: "openai", api: "chat", model: "gpt-5.1" }`.
 * Opaque parts, such as a reasoning signature, are only sent back to the same origin.
 */
export interface ModelOrigin {
  readonly provider: string;
  /** The provider's API. Items differ between APIs, and one API doesn't accept those of another. */
  readonly api: string;
  readonly model: string;
}

/** A call of a tool that takes text instead of JSON (OpenAI's custom tools). */
export interface CustomToolCall {
  readonly id: string;
  readonly type: "custom";
  readonly custom: { readonly name: string; readonly input: string };
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** A call of a tool with JSON arguments, with all fields that the provider sent. */
export interface FunctionToolCall extends ToolCall {
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** A tool call with all fields that the provider sent, e.g. `extra_content` with a thought signature. */
export type RichToolCall = FunctionToolCall | CustomToolCall;

/**
 * A message as the stores accept it and return it unchanged: {@link Message} plus content in parts, the `null` content
 * that some providers send with tool calls, the roles of other frameworks, and any additional fields of JSON, `Date`,
 * `URL` and `Uint8Array`.
 *
 * Every `Message` is a `RichMessage`, so reading needs no cast:
 * `const rich: readonly RichMessage[] = conversation.messages`. To write rich messages, parse them with
 * `parseMessages`.
 */
export type RichMessage = Omit<Message, "role" | "content" | "tool_calls"> & {
  /** `system` and `developer` come from other frameworks. They are never treated as the user's words. */
  readonly role: Message["role"] | "system" | "developer";
  readonly content: string | readonly ContentPart[] | null;
  readonly tool_calls?: readonly RichToolCall[];
  /** The model provider's id. It isn't always unique, so the store uses `WriteOptions.messageIds` instead. */
  readonly id?: string;
  /** Only on assistant messages. */
  readonly origin?: ModelOrigin;
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
};

/** One content part. Parts of other frameworks, e.g. `{ type: "image_url", image_url }`, are stored unchanged. */
export type ContentPart = KnownPart | OtherPart;

/** A part type that JAF knows. Narrow it by `type`. */
export type KnownPart =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | MediaPart
  | ToolCallPart
  | ProviderToolCallPart
  | ProviderToolResultPart
  | SourcePart;

/** A part type that JAF doesn't know. It is stored, and sent back to the message's origin. */
export interface OtherPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface PartBase {
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** The text of a message, or a part of it. */
export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  /** Added for one turn only, e.g. facts about the user. Not stored, and not part of the next turn. */
  readonly transient?: boolean;
}

/**
 * A model's reasoning before its reply. `text` is readable. `signature` and `encrypted` are opaque: they are sent back
 * unchanged, and only to the message's origin. Reasoning is never part of the message's text.
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

/** An image, audio or file: bytes (base64 if `data` is a string), a URL, or a file id of the model provider. */
export interface MediaPart extends PartBase {
  readonly type: "media";
  /** An IANA media type, e.g. `image/png`. */
  readonly mediaType: string;
  readonly data?: Uint8Array | string;
  /** Replaces `data` if `withBlobs` wraps the memory provider. */
  readonly blob?: BlobReference;
  readonly url?: URL | string;
  readonly fileId?: string;
  readonly filename?: string;
}

/** Replaces the `data` of a media part. The bytes are in a `BlobStore` under the same conversation. */
export interface BlobReference {
  /** The SHA-256 of the bytes: 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** `"base64"`: `data` was base64 text, and is returned as text. Absent if `data` was a `Uint8Array`. */
  readonly encoding?: "base64";
}

/**
 * The position of one of the message's `tool_calls` among its parts. Calls without such a part come after all parts.
 */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  /** The id of the call. */
  readonly id: string;
}

/** A call of a tool that the model provider runs itself, e.g. its web search. It needs no result. */
export interface ProviderToolCallPart extends PartBase {
  readonly type: "provider-tool-call";
  readonly id: string;
  readonly name: string;
  readonly input?: unknown;
}

/** The result of a {@link ProviderToolCallPart}. */
export interface ProviderToolResultPart extends PartBase {
  readonly type: "provider-tool-result";
  /** The id of the call. */
  readonly id: string;
  readonly name?: string;
  readonly output?: unknown;
  readonly isError?: boolean;
}

/** A source of a reply. */
export interface SourcePart extends PartBase {
  readonly type: "source";
  readonly url?: string;
  readonly title?: string;
}

/** Data that a model provider's adapter stores for its own use, by provider name. Never accepted from a client. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;
