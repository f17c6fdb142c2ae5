export const messageRoles = ["user", "assistant", "tool", "system", "developer"] as const;

/** The model's request to run a tool. `arguments` is the JSON text exactly as the model wrote it. */
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
 * "gpt-5.1" }`). Data that only the model provider understands (e.g. the signature of reasoning) is only sent back to
 * the model that wrote the message.
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
  /**
   * `true` if the model provider runs the call itself, and waits for an approval (e.g. of a remote MCP server's tool).
   * The result of such a call says whether it was approved. The reply to it has what the call returned.
   */
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

/** A tool call with all fields that the model provider sent (e.g. `extra_content` with a thought signature). */
export type RichToolCall = FunctionToolCall | CustomToolCall;

/**
 * A message with all fields that the stores accept. The stores return the message as it was written. In addition to the
 * fields of {@link Message}, a `RichMessage` may have:
 *
 * - content in parts, or the `null` content that some model providers send with tool calls,
 * - the roles of other frameworks,
 * - any additional fields of JSON, `Date`, `URL` and `Uint8Array`. A user message with the field `from`, `"timer"` or
 *   `"work"`, was sent by a timer or by background work, and doesn't count as the user's words.
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
   * The id that the model provider gave the message. This id isn't always unique, so stores identify messages by
   * `WriteOptions.messageIds` instead.
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
 * A content part of a type that JAF doesn't know. The part is stored, but is only sent to the model that wrote the
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
   * `true` if the text was added for one turn only (e.g. facts about the user). A transient text is not stored, and not
   * sent in later turns.
   */
  readonly transient?: boolean;
}

/**
 * A model's reasoning before its reply. `text` is readable. `signature` and `encrypted` only have a meaning for the
 * model provider. They are sent back unchanged, but only to the model that wrote the message (`origin`). Reasoning is
 * never a part of the message's text.
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
 * An image, audio or a file. The content is given in one of three forms:
 *
 * - `data`: the bytes, as a `Uint8Array` or as a string in base64,
 * - `url`: a web address,
 * - `fileId`: the id of a file that was uploaded to the model provider.
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
 * Replaces the `data` of a media part in a stored message. A `BlobStore` holds the bytes under the id of the message's
 * conversation and the bytes' hash.
 */
export interface BlobReference {
  /** The SHA-256 of the bytes: 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** The number of bytes. */
  readonly size: number;
  /**
   * `"base64"` if `data` was base64 text; `resolveMedia` then returns base64 text again. Absent if `data` was a
   * `Uint8Array`.
   */
  readonly encoding?: "base64";
}

/**
 * Marks the place of a tool call among the parts of a message: the model made the call after the parts that precede
 * this part. If a call in `tool_calls` has no such part, the model made it after all parts.
 */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  /** The id of the call in the message's `tool_calls`. */
  readonly id: string;
}

/**
 * A call of a tool that the model provider runs itself (e.g. a web search). The model provider also gives the result of
 * the call, not the application.
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

/**
 * A source that a model's reply is based on. It stands behind the text part that cites it, and isn't sent to any model.
 */
export interface SourcePart extends PartBase {
  readonly type: "source";
  /** Identifies the source in the message. */
  readonly id?: string;
  /** `"url"`: a web page. `"document"`: a file, or another text without an address. */
  readonly sourceType?: "url" | "document";
  readonly url?: string;
  readonly title?: string;
  readonly filename?: string;
  /** The IANA media type of a document (e.g. `application/pdf`). */
  readonly mediaType?: string;
  /** Where the nearest text part before this part cites the source. Absent: the model doesn't say where. */
  readonly ranges?: readonly TextRange[];
}

/** A piece of a text, from `start` up to and without `end`. The positions count UTF-16 code units, as `slice` does. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Data that the code for a model provider (e.g. `@jaf/google`) stores in a message for its own use, by the name of the
 * model provider. A client may not send such data.
 */
export type ProviderMetadata = Readonly<Record<string, unknown>>;
