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
  /**
   * How often its messages have changed, from 1 when it was created; `WriteOptions.expectedVersion` is compared with it.
   * These five are absent where a provider of somebody else's doesn't count them.
   */
  readonly version?: number;
  /** How many writes carried metadata, from 0; `WriteOptions.expectedMetadataVersion` is compared with it. */
  readonly metadataVersion?: number;
  /**
   * The position that the next message will have. Messages have positions in their order, from 0, without a gap:
   * those stored now are the last `totalMessages` before this one. Trimming the oldest changes no position.
   */
  readonly nextPosition?: number;
  /**
   * Names this conversation from its creation to its deletion: one that is made anew under the same id has another.
   * `WriteOptions.expectedIncarnation` is compared with it.
   */
  readonly incarnation?: string;
  /**
   * Of all messages that were ever stored and not dropped from the end again: another one whenever messages change,
   * and none of another conversation's. `historyTokenOf` makes of it what stands for the history in a continuation;
   * `verifyConversation` checks the messages by it. Absent where all messages were written before digests were kept, too.
   */
  readonly historyDigest?: string;
  /**
   * `true` where a message of role `system` or `developer` was written since the conversation was created or last replaced,
   * also if it has been dropped since; absent otherwise. Whoever reads only the end of a conversation learns by it that
   * there may be system content further back, which every window keeps.
   */
  readonly systemContent?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/**
 * Metadata of a write: `userId` and `traceId` are indexed, everything else is kept and given back. The store's own
 * fields (`createdAt`, `updatedAt`, `lastActivity`, `totalMessages`, `version`, `metadataVersion`, `nextPosition`,
 * `incarnation`, `historyDigest`, `systemContent`) are ignored here.
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
   * The version that the conversation must have (`metadata.version`), `0` for one that must not exist yet. It rises by
   * one with every write that changes messages, be it that the batch is empty and messages are dropped, and with
   * the creation. Otherwise: `MemoryConflictError` of reason `"version"`.
   */
  readonly expectedVersion?: number;
  /**
   * The metadata version that the conversation must have (`metadata.metadataVersion`), `0` where no write carried any
   * yet. It rises by one with every write that carries metadata other than `userId`, with every replacement, and with
   * every batch that holds a message of role `system` or `developer`, which is noted in `systemContent`.
   * Otherwise: `MemoryConflictError` of reason `"metadata-version"`. A change of metadata alone leaves `version` as it is.
   */
  readonly expectedMetadataVersion?: number;
  /**
   * The incarnation that the conversation must be of: what a read gave as `incarnation`, also for one that isn't there.
   * So a write that was decided on what has been erased since is refused, whatever was stored under the id afterwards:
   * `MemoryConflictError` of reason `"incarnation"`. What isn't there is told apart for 24 hours after an erasure.
   */
  readonly expectedIncarnation?: string;
  /**
   * Makes a retry safe. The same key with the same write again (messages, metadata and what else it says, but for what
   * it expects) is a success that changes nothing; with anything else it is a `MemoryConflictError`. A key is remembered
   * for at least the next 1,000 writes to the conversation. 1 to 255 characters.
   */
  readonly idempotencyKey?: string;
  /**
   * Whether `appendMessages` makes a conversation that doesn't exist: `true` needs `metadata.userId`, who will own it;
   * `"unowned"` also makes one that nobody owns. Default: `MemoryNotFoundError`. Not for `storeMessages`, which always does.
   */
  readonly createIfMissing?: boolean | "unowned";
  /**
   * How many messages `appendMessages` drops from the end before it adds the batch; the batch takes over their positions.
   * A conversation with fewer is a `MemoryConflictError` of reason `"length"`.
   */
  readonly dropLast?: number;
  /**
   * The messages' own ids, given by the writer, in the order of the batch; `null` or `undefined` for a message without.
   * An id is there once in a conversation: a message that is stored under it already is skipped, another content
   * is a `MemoryConflictError` of reason `"message-id"`. An id is forgotten with its message. Ids that model providers
   * give may repeat, and are none.
   */
  readonly messageIds?: readonly (string | null | undefined)[];
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
  /**
   * Ends the waits between the attempts of a wrapper such as `withRetry`, so that no other attempt is made. A store ignores
   * it: a write that is under way is never cut off, and it is no part of what an `idempotencyKey` stands for.
   */
  readonly signal?: AbortSignal | undefined;
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
 * A method whose parameters are compared both ways: a provider that is typed literally as the specification has it, whose
 * `traceId` is a `TraceId` alone, is a {@link MemoryProvider} too.
 */
type Method<F extends (...given: never[]) => unknown> = {
  bivariant(...given: Parameters<F>): ReturnType<F>;
}["bivariant"];

/**
 * A place where conversations are kept. The same rules hold for every backend, and the conformance kit
 * (`@jaf/memory/testing`) tests them:
 *
 * - **Atomic, ordered writes.** A batch lands whole, contiguous and in order, or not at all. Concurrent writers,
 *   in any number of processes, lose nothing. The cost of an append does not grow with the conversation.
 * - **One order:** a position per message, never a clock.
 * - **Versions, incarnations, idempotency, trimming:** see {@link WriteOptions}.
 * - **Values come back exactly as stored:** types, unicode, the text of tool arguments, content parts, unknown
 *   fields; `Date`, `URL` and `Uint8Array` as such, and a `Buffer` as a `Uint8Array`: each reader gets its own, which
 *   alone isn't frozen. A field that is `undefined` is absent, and `-0` is `0`. What else JSON can't hold (`NaN`,
 *   functions, class instances, cycles, more than 200 levels) is refused with a `MemoryValidationError`.
 * - **Ids** are 1 to 255 UTF-16 units, without NUL and without unpaired surrogates; they are compared exactly,
 *   without normalisation. Anything else is a `MemoryValidationError`.
 * - **Absence is data** (`null`, `false`, `0`, `[]`); failure is a tagged error; no expected failure throws.
 */
export interface MemoryProvider {
  /**
   * Stores a complete conversation: creates it, or replaces the messages and metadata of an existing one.
   * Its creation time, owner and incarnation stay, and its versions and positions go on counting.
   */
  readonly storeMessages: Method<
    (
      conversationId: string,
      messages: readonly Message[],
      metadata?: WriteMetadata,
      options?: WriteOptions,
    ) => Promise<Result<void>>
  >;

  /** The whole conversation; `null` if there is none. */
  readonly getConversation: (conversationId: string) => Promise<Result<ConversationMemory | null>>;

  /**
   * Appends a batch and merges metadata field by field. An empty batch writes only the metadata. A conversation that
   * doesn't exist is a `MemoryNotFoundError`, unless `createIfMissing` says to make it.
   */
  readonly appendMessages: Method<
    (
      conversationId: string,
      messages: readonly Message[],
      metadata?: WriteMetadata,
      options?: WriteOptions,
    ) => Promise<Result<void>>
  >;

  /** Finds by user, trace, id and time of last activity. Never scans another user's data. */
  readonly findConversations: (query: MemoryQuery) => Promise<Result<ConversationMemory[]>>;

  /**
   * The last `limit` messages (default 50), oldest first; `[]` if there is no conversation. Costs O(limit). They
   * may begin with a tool result whose call lies further back: pass them through `sanitizeConversation` before
   * they go to a model.
   */
  readonly getRecentMessages: (conversationId: string, limit?: number) => Promise<Result<readonly Message[]>>;

  /**
   * Whether there was one to delete. Also where nothing was, a tombstone that names the conversation by a hash stays for
   * 24 hours, so that writes which expect what was there before are refused.
   */
  readonly deleteConversation: (conversationId: string) => Promise<Result<boolean>>;

  /** Deletes everything of a user, and leaves a tombstone of the user too; how many conversations that were. */
  readonly clearUserConversations: (userId: string) => Promise<Result<number>>;

  /**
   * Over the conversations of one user, or, called without an argument, of everybody. A user who is `undefined` is a
   * `MemoryValidationError`: a session without a user must not see everybody's totals.
   */
  readonly getStats: (userId?: string) => Promise<Result<MemoryStats>>;

  /** Asks the store. A store that can't be reached is `{ healthy: false, error }`, not a failure. */
  readonly healthCheck: () => Promise<Result<HealthStatus>>;

  /**
   * Closes what the provider opened, and leaves alone a client that was handed in. Later calls fail with
   * `MemoryConnectionError`. Closing twice is a success.
   */
  readonly close: () => Promise<Result<void>>;
}
