import type { JsonObject } from "../codec/json.ts";
import type { MemoryConflictReason, MemoryErrorUnion } from "../errors.ts";
import type { Message } from "../message.ts";
import type { MemoryStats } from "../provider.ts";

/**
 * The storage port: what a backend has to do once everything is validated and encoded. `defineMemoryProvider`
 * makes a {@link MemoryProvider} of it, so that a backend holds I/O and nothing else.
 *
 * Methods throw what their driver throws; `toMemoryError` translates it in one place.
 */
export interface MemoryBackend {
  /** The name in errors and health reports, e.g. `"postgres"`. */
  readonly name: string;
  readonly write: (write: ConversationWrite) => Promise<WriteOutcome>;
  /** The conversation with all its messages, or with the last `last` (at least 1) of them; `null` if there is none. */
  readonly read: (conversationId: string, last?: number) => Promise<StoredConversation | null>;
  /** `limit` is at least 1. */
  readonly find: (query: ConversationQuery) => Promise<readonly StoredConversation[]>;
  readonly delete: (conversationId: string) => Promise<boolean>;
  readonly clearUser: (userId: string) => Promise<number>;
  readonly stats: (userId?: string) => Promise<MemoryStats>;
  /** One round trip to the store; throws if it is out of reach. */
  readonly ping: () => Promise<void>;
  /** Called once. Closes only what the backend itself opened. */
  readonly close: () => Promise<void>;
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/** A message as stored. */
export interface EncodedMessage {
  /** JSON text without NUL, line breaks or unpaired surrogates: all three are escaped. Keep it as text. */
  readonly body: string;
  /** Whether it is a tool result, which a trim must not leave at the head of the conversation. */
  readonly isToolResult: boolean;
}

/** One write, to be done in one atomic step and in this order: expiry, owner, idempotency, version, write, trim. */
export interface ConversationWrite {
  readonly mode: "append" | "replace";
  readonly conversationId: string;
  readonly messages: readonly EncodedMessage[];
  /** The owner to set if there is none yet; another owner is a conflict. */
  readonly userId?: string;
  readonly traceId?: string;
  /** The fields to keep, `traceId` among them. An append merges them field by field, a replace replaces all. */
  readonly metadata: JsonObject;
  readonly expectedVersion?: number;
  readonly idempotency?: {
    readonly key: string /** SHA-256 of mode and messages, hex. */;
    readonly bodyHash: string;
  };
  readonly maxMessages?: number;
  readonly ttlSeconds?: number;
}

export type WriteOutcome =
  | { readonly status: "written" }
  /** The same key and body was written before: nothing changed. */
  | { readonly status: "replayed" }
  | {
      readonly status: "conflict";
      readonly reason: Exclude<MemoryConflictReason, "turn">;
      readonly actualVersion?: number;
    };

/** For how many further writes to the same conversation an idempotency key is remembered, at least. */
export const IDEMPOTENCY_WINDOW = 1_000;

/** The body as it was written, or, from a backend that keeps objects, the message that `decodeMessage` made of it. */
export type StoredMessage = string | Message;

export interface StoredConversation {
  readonly conversationId: string;
  readonly userId?: string;
  /** In the order of their sequence numbers; empty if the query asked for none. */
  readonly messages: readonly StoredMessage[];
  readonly metadata: JsonObject;
  readonly createdAt: Date;
  readonly lastActivity: Date;
  readonly totalMessages: number;
  readonly version: number;
}

/** A checked {@link MemoryQuery}. Newest activity first, ties in any fixed order that the cursor follows. */
export interface ConversationQuery {
  readonly conversationId?: string;
  readonly userId?: string;
  readonly traceId?: string;
  readonly since?: Date;
  readonly until?: Date;
  /** At least 1; absent: all. */
  readonly limit?: number;
  readonly offset: number;
  readonly cursor?: ConversationPosition;
  readonly includeMessages: boolean;
}

/** A place in the order of a listing: right after this conversation. */
export interface ConversationPosition {
  readonly lastActivity: Date;
  readonly conversationId: string;
}
