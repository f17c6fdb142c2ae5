import type { BlobReference } from "./blobs/reference.ts";
import type { ProviderMetadata } from "./provider-metadata.ts";

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

/** A part of a type that JAF doesn't know: stored, and sent back to the message's origin. */
export interface OtherPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

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

/**
 * One part of a content in parts. Parts of other frameworks, e.g. `{ type: "image_url", image_url }`, are stored as they
 * are.
 */
export type ContentPart = KnownPart | OtherPart;
