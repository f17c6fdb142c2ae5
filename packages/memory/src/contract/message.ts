export const messageRoles = ["user", "assistant", "tool", "system", "developer"] as const;

/**
 * The model's request to run a tool. `arguments` is the JSON text as the model wrote it. It is never parsed and encoded
 * again.
 */
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
 * The model that wrote a message, as the model's adapter names it (e.g. `{ provider: "openai", api: "chat", model:
 * "gpt-5.1" }`). Data that only the model provider understands, such as a reasoning signature, is only sent back to the
 * same origin.
 */
export interface ModelOrigin {
  readonly provider: string;
  /**
   * The API of the model provider (e.g. `"chat"`). Data from one API isn't accepted by another API of the same
   * provider.
   */
  readonly api: string;
  readonly model: string;
}

/** The model's request to run a tool that takes text instead of JSON (a custom tool of OpenAI). */
export interface CustomToolCall {
  readonly id: string;
  readonly type: "custom";
  readonly custom: { readonly name: string; readonly input: string };
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** The model's request to run a tool with JSON arguments, including all fields that the model provider sent. */
export interface FunctionToolCall extends ToolCall {
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** A tool call with all fields that the model provider sent (e.g. `extra_content` with a thought signature). */
export type RichToolCall = FunctionToolCall | CustomToolCall;

/**
 * A message with all fields that the stores accept. They store and return it unchanged. In addition to {@link Message},
 * it allows:
 *
 * - content in parts, or the `null` content that some model providers send with tool calls,
 * - the roles of other frameworks,
 * - any additional fields of JSON, `Date`, `URL` and `Uint8Array`.
 *
 * Every `Message` is a `RichMessage`. Therefore no cast is needed after a read: `const rich: readonly RichMessage[] =
 * conversation.messages`. To write rich messages, parse them with `parseMessages`.
 */
export type RichMessage = Omit<Message, "role" | "content" | "tool_calls"> & {
  /** `system` and `developer` come from other frameworks. Messages of these roles never count as the user's words. */
  readonly role: Message["role"] | "system" | "developer";
  readonly content: string | readonly ContentPart[] | null;
  readonly tool_calls?: readonly RichToolCall[];
  /**
   * The model provider's id. It isn't always unique, so the store identifies messages by `WriteOptions.messageIds`
   * instead.
   */
  readonly id?: string;
  /** The model that wrote the message. Only on assistant messages. */
  readonly origin?: ModelOrigin;
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
};

/**
 * One item of a message's content. Parts of other frameworks (e.g. `{ type: "image_url", image_url }`) are stored
 * unchanged.
 */
export type ContentPart = KnownPart | OtherPart;

/** A content part of a type that JAF knows. Narrow it by its `type`. */
export type KnownPart =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | MediaPart
  | ToolCallPart
  | ProviderToolCallPart
  | ProviderToolResultPart
  | SourcePart;

/**
 * A content part of a type that JAF doesn't know. It is stored, and is only sent back to the model that wrote the
 * message.
 */
export interface OtherPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface PartBase {
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** The text of a message, or a piece of this text. */
export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  /**
   * `true` if the text was added for one turn only (e.g. facts about the user). It is not stored, and not sent in later
   * turns.
   */
  readonly transient?: boolean;
}

/**
 * A model's reasoning before its reply. `text` is readable. `signature` and `encrypted` only have a meaning for the
 * model provider. They are sent back unchanged, and only to the message's `origin`. Reasoning is never a part of the
 * message's text.
 */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text?: string;
  readonly signature?: string;
  readonly encrypted?: string;
}

/** The model's refusal to answer, in the model's words. */
export interface RefusalPart extends PartBase {
  readonly type: "refusal";
  readonly refusal: string;
}

/**
 * An image, audio or a file. It is given as bytes (`data`; a string is base64), as a URL, or as the id of a file that
 * was uploaded to the model provider.
 */
export interface MediaPart extends PartBase {
  readonly type: "media";
  /** The IANA media type (e.g. `image/png`). */
  readonly mediaType: string;
  readonly data?: Uint8Array | string;
  /** The reference that replaces `data` in a stored message, if the memory provider is wrapped with `withBlobs`. */
  readonly blob?: BlobReference;
  readonly url?: URL | string;
  readonly fileId?: string;
  readonly filename?: string;
}

/**
 * Replaces the `data` of a media part in a stored message. A `BlobStore` holds the bytes, under the same conversation.
 */
export interface BlobReference {
  /** The SHA-256 of the bytes: 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** The number of bytes. */
  readonly size: number;
  /** `"base64"` if `data` was base64 text; then a read returns text. Absent if `data` was a `Uint8Array`. */
  readonly encoding?: "base64";
}

/**
 * The place of a tool call among the parts of a message: the model made the call after the parts before this one. A
 * call in `tool_calls` without such a part comes after all parts.
 */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  /** The id of the call in the message's `tool_calls`. */
  readonly id: string;
}

/**
 * A call of a tool that the model provider runs itself (e.g. its web search). The application gives no result for it.
 */
export interface ProviderToolCallPart extends PartBase {
  readonly type: "provider-tool-call";
  readonly id: string;
  readonly name: string;
  readonly input?: unknown;
}

/** The result of a tool that the model provider ran itself: see {@link ProviderToolCallPart}. */
export interface ProviderToolResultPart extends PartBase {
  readonly type: "provider-tool-result";
  /** The id of the {@link ProviderToolCallPart}. */
  readonly id: string;
  readonly name?: string;
  readonly output?: unknown;
  readonly isError?: boolean;
}

/** A source that a model's reply is based on. */
export interface SourcePart extends PartBase {
  readonly type: "source";
  readonly url?: string;
  readonly title?: string;
}

/**
 * Data that a model provider's adapter stores for its own use, by the name of the model provider. It is never accepted
 * from a client.
 */
export type ProviderMetadata = Readonly<Record<string, unknown>>;
