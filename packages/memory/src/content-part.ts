import type { BlobReference } from "./blobs/reference.ts";
import type { ProviderMetadata } from "./provider-metadata.ts";

interface PartBase {
  readonly providerMetadata?: ProviderMetadata;
  readonly [field: string]: unknown;
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  /** Put into the view of a turn, e.g. facts about the user: no part of the conversation, and gone in the next turn. */
  readonly transient?: boolean;
}

/**
 * What a model thought before it answered. `text` may be read; `signature` and `encrypted` are opaque and go back
 * unchanged, to the message's origin alone. It never counts as what was said.
 */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text?: string;
  readonly signature?: string;
  readonly encrypted?: string;
}

/** The model declines to answer, and says so. */
export interface RefusalPart extends PartBase {
  readonly type: "refusal";
  readonly refusal: string;
}

/** An image, a sound or a file: its bytes (base64 where they are text), an address, or an id of the provider's. */
export interface MediaPart extends PartBase {
  readonly type: "media";
  /** Of IANA, e.g. `image/png`. */
  readonly mediaType: string;
  readonly data?: Uint8Array | string;
  /** In place of `data`, of a provider that `withBlobs` wraps. */
  readonly blob?: BlobReference;
  readonly url?: URL | string;
  readonly fileId?: string;
  readonly filename?: string;
}

/** The place of one of the message's `tool_calls` between its parts. Calls without one come behind all parts. */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  /** Of the call. */
  readonly id: string;
}

/** A tool that the provider runs itself, e.g. its web search: nobody else answers the call. */
export interface ProviderToolCallPart extends PartBase {
  readonly type: "provider-tool-call";
  readonly id: string;
  readonly name: string;
  readonly input?: unknown;
}

export interface ProviderToolResultPart extends PartBase {
  readonly type: "provider-tool-result";
  /** Of the call. */
  readonly id: string;
  readonly name?: string;
  readonly output?: unknown;
  readonly isError?: boolean;
}

/** What a reply is based on. */
export interface SourcePart extends PartBase {
  readonly type: "source";
  readonly url?: string;
  readonly title?: string;
}

/** Of a type that JAF doesn't know: kept, and given back to the message's origin. */
export interface OtherPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A part that JAF knows. Narrow by `type`. */
export type KnownPart =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | MediaPart
  | ToolCallPart
  | ProviderToolCallPart
  | ProviderToolResultPart
  | SourcePart;

/** One part of a content in parts. Parts of other frameworks, e.g. `{ type: "image_url", image_url }`, are kept as they are. */
export type ContentPart = KnownPart | OtherPart;
