import type { Result } from "./errors.ts";
import type { TraceId } from "./ids.ts";
import type { Message } from "./message.ts";
import type { TurnBeginning } from "./turn-beginning.ts";

/** A conversation that was read from the store. Its data is a frozen copy, so a reader can't change the stored data. */
export interface ConversationMemory {
  readonly conversationId: string;
  /** The user who owns the conversation. Absent if it has no owner. */
  readonly userId?: string;
  /** The messages, oldest first. Empty if the query has `includeMessages: false`. */
  readonly messages: readonly Message[];
  readonly metadata?: ConversationMetadata;
}

/**
 * Metadata of a stored conversation: the fields that the store adds (listed here), and all fields that writes have set.
 */
export interface ConversationMetadata {
  readonly createdAt: Date;
  /** The time of the last write. */
  readonly updatedAt: Date;
  /** The number of messages that are stored now. */
  readonly totalMessages: number;
  /** The time of the last write. Lists are ordered by this time, and eviction and expiry depend on it. */
  readonly lastActivity: Date;
  /**
   * Counts the changes to the messages: 1 after the creation. `WriteOptions.expectedVersion` is compared with this
   * field. `version`, `metadataVersion`, `nextPosition`, `incarnation` and `historyDigest` may be absent if
   * `defineMemoryProvider` didn't make the provider.
   */
  readonly version?: number;
  /** Counts the writes with metadata, from 0. `WriteOptions.expectedMetadataVersion` is compared with this field. */
  readonly metadataVersion?: number;
  /**
   * The position that the next message will get. Positions count from 0 without gaps. The stored messages have the last
   * `totalMessages` positions before this one. If the oldest messages are trimmed, all other messages keep their
   * positions.
   */
  readonly nextPosition?: number;
  /**
   * A random id of the conversation from its creation to its deletion. If a conversation is deleted and created again
   * under the same id, it gets a new incarnation. `WriteOptions.expectedIncarnation` is compared with this field.
   */
  readonly incarnation?: string;
  /**
   * A digest of all messages that were ever stored, except those that were dropped from the end. It changes whenever
   * the messages change, and no other conversation has the same digest. `historyTokenOf` derives the history token of a
   * continuation from this digest. `verifyConversation` compares the messages with this digest. Absent if all messages
   * were written before the store kept digests.
   */
  readonly historyDigest?: string;
  /**
   * `true` if a message of role `system` or `developer` was written since the creation, or since the last
   * `storeMessages`. It stays `true` if that message is dropped later. Absent: no such message was written.
   *
   * A window always contains all system messages. So if `systemContent` is `true`, the end of the conversation isn't
   * enough to compute a window.
   */
  readonly systemContent?: boolean;
  /** The id of the conversation that this one is a child of. Absent: it isn't a child. See `WriteOptions.childOf`. */
  readonly childOf?: string;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/**
 * The metadata of a write. The store stores and returns all fields, and makes conversations searchable by `userId` and
 * `traceId`. It ignores the fields that it sets itself: `createdAt`, `updatedAt`, `lastActivity`, `totalMessages`,
 * `version`, `metadataVersion`, `nextPosition`, `incarnation`, `historyDigest`, `systemContent` and `childOf`.
 */
export interface WriteMetadata {
  /**
   * The owner of the conversation. The owner can only be set once: a later write with a different `userId` is a
   * conflict.
   */
  readonly userId?: string;
  /**
   * The trace that caused this write. `findConversations({ traceId })` finds all conversations that the trace wrote to,
   * even if other traces have written to them later.
   */
  readonly traceId?: TraceId | string;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/** The conversation that a new conversation is a child of; see `WriteOptions.childOf`. */
export interface ParentConversation {
  readonly conversationId: string;
  /** The incarnation of the parent, from a read or from the receipt of a write. */
  readonly incarnation: string;
}

/**
 * Options of a write. All conditions are checked atomically with the write: no other write can come between the check
 * and the write.
 */
export interface WriteOptions {
  /**
   * The version (`metadata.version`) that the conversation must have; `0` if the conversation must not exist yet. If
   * the conversation has a different version, the write fails with a `MemoryConflictError` with reason `"version"`. The
   * version increases by one with the creation and with every write that changes messages, including a write that only
   * drops messages.
   */
  readonly expectedVersion?: number;
  /**
   * The metadata version (`metadata.metadataVersion`) that the conversation must have; `0` if no write has set metadata
   * yet. If the conversation has a different metadata version, the write fails with a `MemoryConflictError` with reason
   * `"metadata-version"`. The metadata version increases by one with every write that sets metadata other than
   * `userId`, and with every replacement. It also increases with a batch that contains a message of role `system` or
   * `developer`, because this sets `systemContent`. A write of only metadata doesn't change `version`.
   */
  readonly expectedMetadataVersion?: number;
  /**
   * The `incarnation` from an earlier read, even if the read found no conversation. If the conversation was erased or
   * created since that read, the write fails with a `MemoryConflictError` with reason `"incarnation"`. If the
   * conversation was erased and not created again, the write is only refused for 24 hours after the erasure.
   */
  readonly expectedIncarnation?: string;
  /**
   * Makes it safe to retry the write: a repeated write under the same key succeeds and changes nothing. The messages,
   * metadata and options of the repeated write must be the same, but its expected versions and incarnation may differ.
   * A different write under the same key fails with a `MemoryConflictError` with reason `"idempotency-key"`. The store
   * keeps a key for at least the next 1,000 writes to the conversation. 1 to 255 characters.
   */
  readonly idempotencyKey?: string;
  /**
   * Whether `appendMessages` creates a conversation that doesn't exist. With `true`, `metadata.userId` is required: it
   * is the owner. With `"unowned"`, the owner is optional. By default, the write fails with a `MemoryNotFoundError`.
   * `storeMessages` refuses this option, because it always creates a missing conversation.
   */
  readonly createIfMissing?: boolean | "unowned";
  /**
   * Makes the conversation that this write creates a child of another conversation. `appendMessages` needs
   * `createIfMissing`, too. A write to an existing conversation ignores this option.
   *
   * - A child has the owner of its parent. A write with another owner fails with a `MemoryConflictError` with reason
   *   `"owner"`.
   * - If the parent doesn't exist with this incarnation, the write fails with a `MemoryConflictError` with reason
   *   `"incarnation"`. The check and the creation are atomic: no child outlives its parent.
   * - A child is deleted with its parent, and so are its own children. It can also be deleted alone.
   * - If the parent expires (`ttlSeconds`), no list contains its children any more. They are deleted at the latest when
   *   the user's conversations are cleared.
   * - Lists and statistics don't contain children. `MemoryQuery.childrenOf` lists them.
   */
  readonly childOf?: ParentConversation;
  /**
   * The number of messages that `appendMessages` drops from the end of the conversation before it adds the batch. The
   * new messages take the positions of the dropped ones. If the conversation has fewer messages than `dropLast`, the
   * write fails with a `MemoryConflictError` with reason `"length"`.
   */
  readonly dropLast?: number;
  /**
   * The writer's own ids for the messages, in the order of the batch; `null` or `undefined` for a message without an
   * id. Ids are unique in a conversation. If the same message is already stored under its id, the message is skipped.
   * If a different message is stored under the id, the write fails with a `MemoryConflictError` with reason
   * `"message-id"`. When a message is removed, its id can be used again. Don't use ids from model providers: they
   * aren't always unique.
   */
  readonly messageIds?: readonly (string | null | undefined)[];
  /**
   * The maximum number of messages that the conversation keeps after the write, at least 1. The oldest messages are
   * dropped. A tool call is never separated from its results. If the limit falls between a call and its results, the
   * call and all its results are dropped. Exception: if no other messages would be left, the call and its results stay.
   */
  readonly maxMessages?: number;
  /**
   * The conversation expires this many seconds after its last write. An expired conversation counts as deleted. A write
   * without `ttlSeconds` keeps the value of an earlier write. A conversation for which no write has set `ttlSeconds`
   * never expires.
   */
  readonly ttlSeconds?: number;
  /**
   * A turn of a `TurnLog` that begins with this write: either the write is made and the turn begins, or neither
   * happens. Only a provider that is a `TurnBeginner` accepts this option. The call fails with a `MemoryConflictError`
   * with reason `"lease"` in three cases:
   *
   * - The conversation has a running turn.
   * - The conversation already has a turn with this id.
   * - The same write was already made under its `idempotencyKey`.
   */
  readonly beginsTurn?: TurnBeginning;
  /**
   * If this signal is aborted, a wrapper such as `withRetry` makes no further attempt. Stores ignore the signal: a
   * write that has begun is never interrupted. Two writes with different signals count as the same write under an
   * `idempotencyKey`.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The conditions of a search for conversations. A conversation is found if it matches all conditions. The conversation
 * with the newest activity comes first. A query with unknown fields, or with an id that is `undefined`, is refused.
 * Otherwise a query with a misspelt field or a missing id would find the conversations of all users.
 */
export interface MemoryQuery {
  /** Only the conversation with this id. */
  readonly conversationId?: string;
  /** Only conversations of this owner. */
  readonly userId?: string;
  /**
   * Only children of the conversation with this id (see `WriteOptions.childOf`), without their own children. Default:
   * a query without `conversationId` finds only conversations that aren't children.
   */
  readonly childrenOf?: string;
  /** Only conversations to which this trace wrote. */
  readonly traceId?: TraceId | string;
  /** Only conversations whose last activity was at or after this time. */
  readonly since?: Date;
  /** Only conversations whose last activity was at or before this time. */
  readonly until?: Date;
  /** The maximum number of conversations. Default: all. */
  readonly limit?: number;
  /**
   * The number of conversations to skip. Default 0. The cost of the search grows with `offset`. If you read many pages,
   * use `cursor`, with which the cost doesn't grow.
   */
  readonly offset?: number;
  /**
   * A text from `conversationCursor(conversation)`. The result begins with the conversation that follows `conversation`
   * in the list.
   */
  readonly cursor?: string;
  /** `false`: the conversations have empty `messages`, and the store doesn't read them. Default `true`. */
  readonly includeMessages?: boolean;
}

/** Statistics of the stored conversations of one user or of all users. */
export interface MemoryStats {
  readonly totalConversations: number;
  readonly totalMessages: number;
  /** The creation time of the oldest conversation. Absent if no conversation is stored. */
  readonly oldestConversation?: Date;
  /** The creation time of the newest conversation. Absent if no conversation is stored. */
  readonly newestConversation?: Date;
}

/** The result of `healthCheck`: whether the store can be reached. */
export interface HealthStatus {
  readonly healthy: boolean;
  /** The duration of one round trip to the store, in milliseconds. */
  readonly latencyMs?: number;
  /** Why the store is not healthy. Absent if the store is healthy. */
  readonly error?: string;
}

/** A method type with bivariant parameters: an implementation may declare narrower parameter types. */
type Method<F extends (...given: never[]) => unknown> = {
  // So a provider that only accepts a `TraceId` as `traceId`, as in the specification, can be assigned to
  // `MemoryProvider`.
  bivariant(...given: Parameters<F>): ReturnType<F>;
}["bivariant"];

/**
 * Stores conversations. The same rules apply to every backend. The conformance kit (`@jaf/memory/testing`) tests them:
 *
 * - **Atomic, ordered writes.** A batch is stored completely, without gaps and in order, or not at all. If several
 *   writers, in any number of processes, write at the same time, no write is lost. The cost of an append doesn't grow
 *   with the conversation.
 * - **One order:** messages are ordered by their positions, never by clocks.
 * - **Versions, incarnations, idempotency, trimming:** {@link WriteOptions} describes these rules.
 * - **Values come back exactly as stored:** types, unicode, the text of tool arguments, content parts, unknown fields.
 *   `Date`, `URL` and `Uint8Array` keep their type, and a `Buffer` becomes a `Uint8Array`. Each reader gets its own
 *   copies of such objects, and these copies aren't frozen; all other data is frozen. `undefined` fields are absent,
 *   and `-0` becomes `0`. A write with any other value that JSON can't represent (`NaN`, functions, class instances,
 *   cycles, more than 200 levels) fails with a `MemoryValidationError`.
 * - **Ids** have 1 to 255 UTF-16 units, without NUL and without unpaired surrogates. They are compared exactly, without
 *   normalisation. A call with any other id fails with a `MemoryValidationError`.
 * - **Absent data is no error:** a read of missing data returns `null`, `false`, `0` or `[]`. A failure is a tagged
 *   error in the result; an expected failure never throws.
 */
export interface MemoryProvider {
  /**
   * Stores a complete conversation. If the conversation doesn't exist, creates it; otherwise replaces its messages and
   * metadata. A replacement keeps the creation time, the owner and the incarnation. Versions and positions continue to
   * count up.
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
   * Adds a batch of messages to the end of a conversation, and overwrites the given metadata fields. With an empty
   * batch, only writes metadata. If the conversation doesn't exist, `createIfMissing` decides: the conversation is
   * created, or the call fails with a `MemoryNotFoundError`.
   */
  readonly appendMessages: Method<
    (
      conversationId: string,
      messages: readonly Message[],
      metadata?: WriteMetadata,
      options?: WriteOptions,
    ) => Promise<Result<void>>
  >;

  /**
   * Returns the conversations that match all conditions of the query. If the query has a `userId`, never reads the data
   * of another user.
   */
  readonly findConversations: (query: MemoryQuery) => Promise<Result<ConversationMemory[]>>;

  /**
   * Returns the last `limit` messages (default 50), oldest first; `[]` if the conversation doesn't exist. The cost
   * depends on `limit` only, not on the length of the conversation. The first message may be a tool result without its
   * call. Therefore pass the messages to `sanitizeConversation` before you send them to a model.
   */
  readonly getRecentMessages: (conversationId: string, limit?: number) => Promise<Result<readonly Message[]>>;

  /**
   * Deletes the conversation and its children. Returns `true` if it existed, otherwise `false`. In both cases, the
   * store keeps a tombstone for 24 hours, which contains only a hash of the id. Because of the tombstone, the store
   * refuses writes with an `expectedIncarnation` from before the deletion.
   */
  readonly deleteConversation: (conversationId: string) => Promise<Result<boolean>>;

  /**
   * Deletes all conversations of a user, and all children that the user owns. Returns the number of deleted
   * conversations, without children. The store keeps a tombstone of the user. Because of the tombstone, it refuses
   * writes with an `expectedIncarnation` from before the deletion.
   */
  readonly clearUserConversations: (userId: string) => Promise<Result<number>>;

  /**
   * Returns statistics of one user's conversations, without children. Without an argument, returns statistics of all users'
   * conversations. With the argument `undefined`, the call fails with a `MemoryValidationError`: a session without a
   * user must not see the totals of all users.
   */
  readonly getStats: (userId?: string) => Promise<Result<MemoryStats>>;

  /**
   * Makes one round trip to the store. If the store can't be reached, the call still succeeds: the data is `{ healthy:
   * false, error }`.
   */
  readonly healthCheck: () => Promise<Result<HealthStatus>>;

  /**
   * Closes the clients that the provider opened itself, but no client that you passed to the provider. After `close`,
   * all other methods fail with a `MemoryConnectionError`. Another `close` succeeds.
   */
  readonly close: () => Promise<Result<void>>;
}
