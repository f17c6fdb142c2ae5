import type { TraceId } from "./ids.ts";
import type { Message } from "./message.ts";
import type { Result } from "./result.ts";

/** A stored conversation. Its data is frozen: changing it never changes the store. */
export interface ConversationMemory {
  readonly conversationId: string;
  /** The owner; absent when the conversation was stored without one. */
  readonly userId?: string;
  /** In the order of their sequence numbers; empty when asked for with `includeMessages: false`. */
  readonly messages: readonly Message[];
  readonly metadata?: ConversationMetadata;
}

/** What a store says of a conversation, beside every field that was handed in as metadata. */
export interface ConversationMetadata {
  readonly createdAt: Date;
  /** When it was last written. */
  readonly updatedAt: Date;
  /** How many messages are stored now. */
  readonly totalMessages: number;
  /** When it was last written; conversations are listed, evicted and expired by it. */
  readonly lastActivity: Date;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/**
 * Metadata of a write: `userId` and `traceId` are indexed, everything else is kept and given back. Text in it, unlike
 * in messages, holds no NUL character and no unpaired surrogate. The store's own fields (`createdAt`, `updatedAt`,
 * `lastActivity`, `totalMessages`, `version`) are ignored here.
 */
export interface WriteMetadata {
  /** The owner. Set once: a later write that names another user is refused as a conflict. */
  readonly userId?: string;
  /** The trace that caused this write. `findConversations({ traceId })` finds every conversation that it wrote to, also when they were written since. */
  readonly traceId?: TraceId | string;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/** What a write may demand. All of it is decided in the same atomic step as the write. */
export interface WriteOptions {
  /**
   * The version that the conversation must have, `0` for one that must not exist yet. A conversation's version
   * is the number of messages ever appended to it; it is in `metadata.version`. Otherwise: `MemoryConflictError`.
   */
  readonly expectedVersion?: number;
  /**
   * Makes a retry safe. The same key with the same messages again is a success that changes nothing; with other
   * messages it is a `MemoryConflictError`. A key is remembered for at least the next 1,000 writes to the
   * conversation. 1 to 255 characters.
   */
  readonly idempotencyKey?: string;
  /**
   * How many messages to keep, at least 1: the oldest are dropped. A tool call is never split from the results right
   * behind it: where the cut falls between them, they go together, unless nothing else is left; then they stay.
   */
  readonly maxMessages?: number;
  /**
   * Seconds after the last write until the conversation is gone, as if deleted. Each write starts them anew,
   * and one that doesn't name them keeps the conversation's. Absent: kept until it is deleted.
   */
  readonly ttlSeconds?: number;
}

/**
 * Which conversations to find. All conditions given must hold. Newest activity first. A field that doesn't exist, and
 * an id that is `undefined`, are refused: they would widen the search to everybody's conversations.
 */
export interface MemoryQuery {
  readonly conversationId?: string;
  readonly userId?: string;
  readonly traceId?: TraceId | string;
  /** Last activity at or after this. */
  readonly since?: Date;
  /** Last activity at or before this. */
  readonly until?: Date;
  /** At most this many; absent: all. */
  readonly limit?: number;
  /** Skip this many; 0 if absent. For deep paging use `cursor`, whose cost doesn't grow. */
  readonly offset?: number;
  /** Continue after the conversation that `conversationCursor` was made of. */
  readonly cursor?: string;
  /** `false`: leave `messages` empty and read none of them. Default `true`. */
  readonly includeMessages?: boolean;
}

export interface MemoryStats {
  readonly totalConversations: number;
  readonly totalMessages: number;
  /** Creation time of the oldest conversation; absent when there is none. */
  readonly oldestConversation?: Date;
  /** Creation time of the newest conversation; absent when there is none. */
  readonly newestConversation?: Date;
}

export interface HealthStatus {
  readonly healthy: boolean;
  /** Round trip to the store in milliseconds. */
  readonly latencyMs?: number;
  /** Why it is not healthy. */
  readonly error?: string;
}

/**
 * A place where conversations are kept. The same rules hold for every backend, and the conformance kit
 * (`@jaf/memory/testing`) tests them:
 *
 * - **Atomic, ordered writes.** A batch lands whole, contiguous and in order, or not at all. Concurrent writers,
 *   in any number of processes, lose nothing. The cost of an append does not grow with the conversation.
 * - **One order:** a sequence number per conversation, never a clock.
 * - **Versions, idempotency, trimming:** see {@link WriteOptions}.
 * - **Values come back exactly as stored:** types, unicode, the text of tool arguments, content parts, unknown
 *   fields; `Date`s as `Date`s. A field that is `undefined` is absent, and `-0` is `0`. What JSON can't hold (`NaN`,
 *   functions, class instances, cycles, more than 200 levels) is refused with a `MemoryValidationError`.
 * - **Ids** are 1 to 255 UTF-16 units, without NUL and without unpaired surrogates; they are compared exactly,
 *   without normalisation. Anything else is a `MemoryValidationError`.
 * - **Absence is data** (`null`, `false`, `0`, `[]`); failure is a tagged error; no expected failure throws.
 */
export interface MemoryProvider {
  /**
   * Stores a complete conversation: creates it, or replaces the messages and metadata of an existing one.
   * Its creation time and owner stay, and its version goes on counting.
   */
  readonly storeMessages: (
    conversationId: string,
    messages: readonly Message[],
    metadata?: WriteMetadata,
    options?: WriteOptions,
  ) => Promise<Result<void>>;

  /** The whole conversation; `null` if there is none. */
  readonly getConversation: (conversationId: string) => Promise<Result<ConversationMemory | null>>;

  /**
   * Appends a batch and merges metadata field by field. Creates the conversation if there is none. An empty batch
   * writes only the metadata.
   */
  readonly appendMessages: (
    conversationId: string,
    messages: readonly Message[],
    metadata?: WriteMetadata,
    options?: WriteOptions,
  ) => Promise<Result<void>>;

  /** Finds by user, trace, id and time of last activity. Never scans another user's data. */
  readonly findConversations: (query: MemoryQuery) => Promise<Result<ConversationMemory[]>>;

  /**
   * The last `limit` messages (default 50), oldest first; `[]` if there is no conversation. Costs O(limit). They
   * may begin with a tool result whose call lies further back: pass them through `sanitizeConversation` before
   * they go to a model.
   */
  readonly getRecentMessages: (conversationId: string, limit?: number) => Promise<Result<readonly Message[]>>;

  /** Whether there was one to delete. */
  readonly deleteConversation: (conversationId: string) => Promise<Result<boolean>>;

  /** Deletes everything of a user; how many conversations that were. */
  readonly clearUserConversations: (userId: string) => Promise<Result<number>>;

  /** Over all conversations, or those of one user. */
  readonly getStats: (userId?: string) => Promise<Result<MemoryStats>>;

  /** Asks the store. A store that can't be reached is `{ healthy: false, error }`, not a failure. */
  readonly healthCheck: () => Promise<Result<HealthStatus>>;

  /**
   * Closes what the provider opened, and leaves alone a client that was handed in. Later calls fail with
   * `MemoryConnectionError`. Closing twice is a success.
   */
  readonly close: () => Promise<Result<void>>;
}
