import type { Result } from "./errors.ts";
import type { TraceId } from "./ids.ts";
import type { Message } from "./message.ts";

/** A stored conversation. Its data is frozen: changing it never changes the store. */
export interface ConversationMemory {
  readonly conversationId: string;
  /** The owner; absent when the conversation was stored without one. */
  readonly userId?: string;
  /** Oldest first; empty if it was found with `includeMessages: false`. */
  readonly messages: readonly Message[];
  readonly metadata?: ConversationMetadata;
}

/** The fields that the store adds to a conversation, together with every field that a write gave as metadata. */
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
   * This and the next four fields may be absent in a provider that isn't made by `defineMemoryProvider`.
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
   * Identifies this conversation from its creation to its deletion: one that is created again under the same id has another.
   * `WriteOptions.expectedIncarnation` is compared with it.
   */
  readonly incarnation?: string;
  /**
   * A digest of all messages that were ever stored, except those dropped from the end. It changes whenever messages change,
   * and no other conversation has the same. `historyTokenOf` derives the token that replaces the history in a continuation
   * from it, and `verifyConversation` checks the messages with it. Also absent where all messages were written before
   * digests were kept.
   */
  readonly historyDigest?: string;
  /**
   * `true` if a message of role `system` or `developer` was written since the conversation was created or last replaced,
   * even if it has been dropped since; otherwise absent. For readers of only the end of a conversation: there may be system
   * content further back, which every window keeps.
   */
  readonly systemContent?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/**
 * Metadata of a write: `userId` and `traceId` are indexed, all other fields are stored and returned. The store's own
 * fields (`createdAt`, `updatedAt`, `lastActivity`, `totalMessages`, `version`, `metadataVersion`, `nextPosition`,
 * `incarnation`, `historyDigest`, `systemContent`) are ignored here.
 */
export interface WriteMetadata {
  /** The owner. Set once: a later write that names another user is refused as a conflict. */
  readonly userId?: string;
  /**
   * The trace that caused this write. `findConversations({ traceId })` finds every conversation that the trace wrote to,
   * even if others have written to it since.
   */
  readonly traceId?: TraceId | string;
  // biome-ignore lint/suspicious/noExplicitAny: fixed by the specification
  readonly [key: string]: any;
}

/** Options of a write. Every condition is checked in the same atomic step as the write. */
export interface WriteOptions {
  /**
   * The version that the conversation must have (`metadata.version`), `0` if it must not exist yet. The version rises by
   * one with the creation and with every write that changes messages, including one that only drops some. If it differs:
   * `MemoryConflictError` of reason `"version"`.
   */
  readonly expectedVersion?: number;
  /**
   * The metadata version that the conversation must have (`metadata.metadataVersion`), `0` if no write has carried
   * any yet. It rises by one with every write that carries metadata other than `userId`, with every replacement, and with
   * every batch that holds a message of role `system` or `developer`, which sets `systemContent`. If
   * it differs: `MemoryConflictError` of reason `"metadata-version"`. A change of metadata alone leaves `version` as it is.
   */
  readonly expectedMetadataVersion?: number;
  /**
   * The `incarnation` that an earlier read returned, also for a conversation that didn't exist. If the conversation was
   * erased or created since that read, the write is refused, whatever is stored under the id now: `MemoryConflictError` of
   * reason `"incarnation"`. For a conversation that doesn't exist, an erasure is detected for 24 hours.
   */
  readonly expectedIncarnation?: string;
  /**
   * Makes a retry safe. Repeating the same write (messages, metadata and options, except the expectations) under the same
   * key is a success that changes nothing; another write under the key is a `MemoryConflictError`. A key is kept for at
   * least the next 1,000 writes to the conversation. 1 to 255 characters.
   */
  readonly idempotencyKey?: string;
  /**
   * Whether `appendMessages` creates a conversation that doesn't exist: `true` requires `metadata.userId`, the owner;
   * `"unowned"` also creates one without an owner. Default: `MemoryNotFoundError`. Not for `storeMessages`, which always
   * creates it.
   */
  readonly createIfMissing?: boolean | "unowned";
  /**
   * How many messages `appendMessages` drops from the end before it adds the batch; the batch takes over their positions.
   * A conversation with fewer is a `MemoryConflictError` of reason `"length"`.
   */
  readonly dropLast?: number;
  /**
   * Ids of the messages, chosen by the writer, in the order of the batch; `null` or `undefined` for a message without one.
   * An id is unique in its conversation: a message that is already stored under its id is skipped; if its content differs,
   * that is a `MemoryConflictError` of reason `"message-id"`. When a message is removed, its id is free again. Don't use
   * the ids that model providers give: those may repeat.
   */
  readonly messageIds?: readonly (string | null | undefined)[];
  /**
   * How many messages to keep, at least 1: the oldest are dropped. A tool call is never separated from the results
   * that follow it: if the cut falls between them, all of them are dropped, unless nothing else is left; then all stay.
   */
  readonly maxMessages?: number;
  /**
   * Seconds after the last write until the conversation expires, as if it were deleted. Each write restarts the time; a write
   * without `ttlSeconds` keeps the value that the conversation has. If no write gives any: kept until it is deleted.
   */
  readonly ttlSeconds?: number;
  /**
   * Ends the waits between the attempts of a wrapper such as `withRetry`, so that no further attempt is made. A
   * store ignores it: a write that has begun is never interrupted. Not compared under an `idempotencyKey`.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Which conversations to find. All conditions given must hold. Newest activity first. A field that doesn't exist, and
 * an id that is `undefined`, are refused: they would widen the search to the conversations of all users.
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
 * A method whose parameters are checked bivariantly: so a provider typed exactly as in the specification, whose
 * `traceId` is only a `TraceId`, is a {@link MemoryProvider} too.
 */
type Method<F extends (...given: never[]) => unknown> = {
  bivariant(...given: Parameters<F>): ReturnType<F>;
}["bivariant"];

/**
 * Stores conversations. The same rules hold for every backend, and the conformance kit (`@jaf/memory/testing`) tests them:
 *
 * - **Atomic, ordered writes.** A batch is stored whole, contiguous and in order, or not at all. Concurrent writers, in any
 *   number of processes, lose nothing. The cost of an append does not grow with the conversation.
 * - **One order:** a position per message, never a clock.
 * - **Versions, incarnations, idempotency, trimming:** see {@link WriteOptions}.
 * - **Values come back exactly as stored:** types, unicode, the text of tool arguments, content parts, unknown fields;
 *   `Date`, `URL` and `Uint8Array` keep their type, and a `Buffer` becomes a `Uint8Array`: each reader gets a copy of
 *   these, and only these aren't frozen. A field that is `undefined` is absent, and `-0` is `0`. Other values that JSON
 *   can't hold (`NaN`, functions, class instances, cycles, more than 200 levels) is refused with a `MemoryValidationError`.
 * - **Ids** are 1 to 255 UTF-16 units, without NUL and without unpaired surrogates; they are compared exactly, without
 *   normalisation. Anything else is a `MemoryValidationError`.
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
   * doesn't exist is a `MemoryNotFoundError`, unless `createIfMissing` is set.
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
   * Deletes the conversation. Returns whether there was one. In either case a tombstone, which contains only a hash of the
   * id, is kept for 24 hours, so that writes based on what was there before are refused.
   */
  readonly deleteConversation: (conversationId: string) => Promise<Result<boolean>>;

  /** Deletes all conversations of a user and leaves a tombstone of the user too. Returns how many there were. */
  readonly clearUserConversations: (userId: string) => Promise<Result<number>>;

  /**
   * Statistics of one user's conversations, or, called without an argument, of all users'. An argument that is `undefined`
   * is a `MemoryValidationError`: a session without a user must not see the totals of all users.
   */
  readonly getStats: (userId?: string) => Promise<Result<MemoryStats>>;

  /** Makes one call to the store. If it can't be reached, the result is `{ healthy: false, error }` and not a failure. */
  readonly healthCheck: () => Promise<Result<HealthStatus>>;

  /**
   * Closes what the provider opened, but not a client that was passed in. Later calls fail with
   * `MemoryConnectionError`. Closing twice is a success.
   */
  readonly close: () => Promise<Result<void>>;
}
