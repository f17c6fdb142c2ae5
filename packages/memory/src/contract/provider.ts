import type { Result } from "./errors.ts";
import type { TraceId } from "./ids.ts";
import type { Message } from "./message.ts";
import type { TurnBeginning } from "./turn-beginning.ts";

/** A stored conversation. Its data is frozen: changing it never changes the store. */
export interface ConversationMemory {
  readonly conversationId: string;
  /** The owner. Absent if the conversation was stored without one. */
  readonly userId?: string;
  /** Oldest first. Empty if the query has `includeMessages: false`. */
  readonly messages: readonly Message[];
  readonly metadata?: ConversationMetadata;
}

/** The fields that the store adds, and all metadata fields that writes have set. */
export interface ConversationMetadata {
  readonly createdAt: Date;
  /** The time of the last write. */
  readonly updatedAt: Date;
  /** The number of messages that are stored now. */
  readonly totalMessages: number;
  /** The time of the last write. Listing, eviction and expiry use it. */
  readonly lastActivity: Date;
  /**
   * The number of changes to the messages, 1 after the creation. `WriteOptions.expectedVersion` is compared with it.
   * This field and the next four may be absent if the provider isn't made by `defineMemoryProvider`.
   */
  readonly version?: number;
  /** The number of writes with metadata, from 0. `WriteOptions.expectedMetadataVersion` is compared with it. */
  readonly metadataVersion?: number;
  /**
   * The position of the next message. Positions count from 0 without gaps: the stored messages are the last
   * `totalMessages` before this position. Trimming the oldest messages changes no position.
   */
  readonly nextPosition?: number;
  /**
   * Identifies this conversation from its creation to its deletion. A conversation that is created again under the same
   * id gets a new one. `WriteOptions.expectedIncarnation` is compared with it.
   */
  readonly incarnation?: string;
  /**
   * A digest of all messages that were ever stored, except those dropped from the end. It changes with every change of
   * the messages, and is unique to the conversation. `historyTokenOf` derives the token that replaces the history in a
   * continuation from it. `verifyConversation` checks the messages with it. Absent if all messages were written before
   * digests were kept.
   */
  readonly historyDigest?: string;
  /**
   * `true` if a message of role `system` or `developer` was written since the conversation was created or last
   * replaced, even if that message was dropped since; otherwise absent. It tells readers of only the end of a
   * conversation that there may be earlier system content, which every window keeps.
   */
  readonly systemContent?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/**
 * Metadata of a write. `userId` and `traceId` are indexed; all other fields are stored and returned. The store's own
 * fields (`createdAt`, `updatedAt`, `lastActivity`, `totalMessages`, `version`, `metadataVersion`, `nextPosition`,
 * `incarnation`, `historyDigest`, `systemContent`) are ignored here.
 */
export interface WriteMetadata {
  /** The owner. It can be set once: a later write with another user is a conflict. */
  readonly userId?: string;
  /**
   * The trace that caused this write. `findConversations({ traceId })` finds all conversations that the trace wrote to,
   * even if other traces have written to them since.
   */
  readonly traceId?: TraceId | string;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/** Options of a write. Every condition is checked in the same atomic step as the write. */
export interface WriteOptions {
  /**
   * The version (`metadata.version`) that the conversation must have; `0` if it must not exist yet. The version
   * increases by one with the creation and with every write that changes messages, including one that only drops some.
   * A different version is a `MemoryConflictError` with reason `"version"`.
   */
  readonly expectedVersion?: number;
  /**
   * The metadata version (`metadata.metadataVersion`) that the conversation must have; `0` if no write has set metadata
   * yet. It increases by one with every write that sets metadata other than `userId`, with every replacement, and with
   * every batch that contains a message of role `system` or `developer`, because that sets `systemContent`. A different
   * version is a `MemoryConflictError` with reason `"metadata-version"`. A write of metadata alone doesn't change
   * `version`.
   */
  readonly expectedMetadataVersion?: number;
  /**
   * The `incarnation` from an earlier read, even if the conversation didn't exist then. If the conversation was erased
   * or created since that read, the write is refused with a `MemoryConflictError` with reason `"incarnation"`. If the
   * conversation doesn't exist, an erasure is detected for 24 hours.
   */
  readonly expectedIncarnation?: string;
  /**
   * Makes retries safe. Repeating the same write (messages, metadata and options, except the expectations) under the
   * same key succeeds and changes nothing. A different write under the key is a `MemoryConflictError`. A key is kept
   * for at least the next 1,000 writes to the conversation. 1 to 255 characters.
   */
  readonly idempotencyKey?: string;
  /**
   * Whether `appendMessages` creates a missing conversation. `true` requires `metadata.userId`, the owner; `"unowned"`
   * also creates one without an owner. By default, a missing conversation is a `MemoryNotFoundError`. Not for
   * `storeMessages`, which always creates it.
   */
  readonly createIfMissing?: boolean | "unowned";
  /**
   * The number of messages that `appendMessages` drops from the end before it adds the batch. The batch takes their
   * positions. If the conversation has fewer messages, that is a `MemoryConflictError` with reason `"length"`.
   */
  readonly dropLast?: number;
  /**
   * The writer's own ids for the messages, in the order of the batch; `null` or `undefined` for a message without one.
   * Ids are unique in a conversation: a message that is already stored under its id is skipped, and different content
   * under the same id is a `MemoryConflictError` with reason `"message-id"`. Once a message is removed, its id can be
   * used again. Don't use ids from model providers: they aren't always unique.
   */
  readonly messageIds?: readonly (string | null | undefined)[];
  /**
   * The maximum number of messages to keep, at least 1. The oldest are dropped. A tool call is never separated from its
   * results: if the cut falls between them, all of them are dropped, unless nothing else is left; then all stay.
   */
  readonly maxMessages?: number;
  /**
   * Seconds after the last write until the conversation expires; then it counts as deleted. Each write restarts the
   * time. A write without `ttlSeconds` keeps the current value. If no write sets it, the conversation never expires.
   */
  readonly ttlSeconds?: number;
  /**
   * A turn of a `TurnLog` that begins with this write: both happen, or neither. Only for a provider that is a `TurnBeginner`,
   * and together with `expectedVersion`. If the conversation has a running turn, if the turn's id is taken, or if the
   * write was already made under its key, that is a `MemoryConflictError` with reason `"lease"`.
   */
  readonly beginsTurn?: TurnBeginning;
  /**
   * Stops a wrapper such as `withRetry` from waiting for another attempt. Stores ignore it: a write that has begun is
   * never interrupted. Not compared under an `idempotencyKey`.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Which conversations to find. All given conditions must match. Newest activity first. Unknown fields, and ids that are
 * `undefined`, are refused, because they would widen the search to all users.
 */
export interface MemoryQuery {
  /** Only the conversation with this id. */
  readonly conversationId?: string;
  /** Only conversations of this owner. */
  readonly userId?: string;
  /** Only conversations that this trace wrote to. */
  readonly traceId?: TraceId | string;
  /** Last activity at or after this time. */
  readonly since?: Date;
  /** Last activity at or before this time. */
  readonly until?: Date;
  /** The maximum number of conversations. Default: all. */
  readonly limit?: number;
  /** The number of conversations to skip. Default 0. For deep paging use `cursor`: its cost doesn't grow. */
  readonly offset?: number;
  /** Continues after the conversation that `conversationCursor` got. */
  readonly cursor?: string;
  /** `false` leaves `messages` empty and doesn't read them. Default `true`. */
  readonly includeMessages?: boolean;
}

/** Statistics of the stored conversations of one user or of all users. */
export interface MemoryStats {
  readonly totalConversations: number;
  readonly totalMessages: number;
  /** Creation time of the oldest conversation. Absent if there is none. */
  readonly oldestConversation?: Date;
  /** Creation time of the newest conversation. Absent if there is none. */
  readonly newestConversation?: Date;
}

/** The result of a health check. */
export interface HealthStatus {
  readonly healthy: boolean;
  /** Round-trip time to the store in milliseconds. */
  readonly latencyMs?: number;
  /** Why the store is not healthy. */
  readonly error?: string;
}

/**
 * A method with bivariant parameters. It lets a provider typed exactly as in the specification, with a `traceId` that
 * is only a `TraceId`, count as a {@link MemoryProvider}.
 */
type Method<F extends (...given: never[]) => unknown> = {
  bivariant(...given: Parameters<F>): ReturnType<F>;
}["bivariant"];

/**
 * Stores conversations. The same rules apply to every backend, and the conformance kit (`@jaf/memory/testing`) tests
 * them:
 *
 * - **Atomic, ordered writes.** A batch is stored completely, contiguously and in order, or not at all. Concurrent
 *   writers, in any number of processes, lose nothing. The cost of an append doesn't grow with the conversation.
 * - **One order:** messages have positions; clocks don't matter.
 * - **Versions, incarnations, idempotency, trimming:** see {@link WriteOptions}.
 * - **Values come back exactly as stored:** types, unicode, the text of tool arguments, content parts, unknown fields.
 *   `Date`, `URL` and `Uint8Array` keep their type, and a `Buffer` becomes a `Uint8Array`. Each reader gets its own
 *   copies of these, and only these aren't frozen. `undefined` fields are absent, and `-0` becomes `0`. Other values
 *   that JSON can't represent (`NaN`, functions, class instances, cycles, more than 200 levels) are a
 *   `MemoryValidationError`.
 * - **Ids** have 1 to 255 UTF-16 units, without NUL and without unpaired surrogates. They are compared exactly, without
 *   normalisation. Other ids are a `MemoryValidationError`.
 * - **Absence is data** (`null`, `false`, `0`, `[]`). Failures are tagged errors; expected failures never throw.
 */
export interface MemoryProvider {
  /**
   * Stores a complete conversation: creates it, or replaces the messages and metadata of an existing one. A replacement
   * keeps the creation time, owner and incarnation; versions and positions continue.
   */
  readonly storeMessages: Method<
    (
      conversationId: string,
      messages: readonly Message[],
      metadata?: WriteMetadata,
      options?: WriteOptions,
    ) => Promise<Result<void>>
  >;

  /** Returns the whole conversation, or `null` if it doesn't exist. */
  readonly getConversation: (conversationId: string) => Promise<Result<ConversationMemory | null>>;

  /**
   * Appends a batch of messages and merges metadata field by field. An empty batch only writes metadata. A missing
   * conversation is a `MemoryNotFoundError`, unless `createIfMissing` is set.
   */
  readonly appendMessages: Method<
    (
      conversationId: string,
      messages: readonly Message[],
      metadata?: WriteMetadata,
      options?: WriteOptions,
    ) => Promise<Result<void>>
  >;

  /** Finds conversations by user, trace, id and time of last activity. Never scans another user's data. */
  readonly findConversations: (query: MemoryQuery) => Promise<Result<ConversationMemory[]>>;

  /**
   * Returns the last `limit` messages (default 50), oldest first; `[]` if the conversation doesn't exist. Costs
   * O(limit). The first message may be a tool result without its call: pass them through `sanitizeConversation` before
   * you send them to a model.
   */
  readonly getRecentMessages: (conversationId: string, limit?: number) => Promise<Result<readonly Message[]>>;

  /**
   * Deletes the conversation. Returns whether it existed. In either case a tombstone with only a hash of the id is kept
   * for 24 hours, to refuse writes that are based on the deleted data.
   */
  readonly deleteConversation: (conversationId: string) => Promise<Result<boolean>>;

  /**
   * Deletes all conversations of a user and creates a tombstone for the user, too. Returns the number of deleted
   * conversations.
   */
  readonly clearUserConversations: (userId: string) => Promise<Result<number>>;

  /**
   * Returns statistics of one user's conversations or, without an argument, of all users'. `undefined` as the argument
   * is a `MemoryValidationError`: a session without a user must not see the totals of all users.
   */
  readonly getStats: (userId?: string) => Promise<Result<MemoryStats>>;

  /** Makes one call to the store. If the store can't be reached, returns `{ healthy: false, error }`, not a failure. */
  readonly healthCheck: () => Promise<Result<HealthStatus>>;

  /**
   * Closes what the provider opened, but not a client that you passed in. Later calls fail with
   * `MemoryConnectionError`. Closing twice succeeds.
   */
  readonly close: () => Promise<Result<void>>;
}
