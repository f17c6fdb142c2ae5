import type { Result } from "./errors.ts";
import type { Message } from "./message.ts";
import type { ConversationMemory, MemoryProvider, WriteOptions } from "./provider.ts";

/**
 * Selects messages by their positions (the number of a message in its conversation, from 0). The range may extend
 * beyond the stored messages. If `after` is present, `limit` selects the first messages of the range; otherwise `limit`
 * selects the last messages. For example, `{ before: 100, limit: 20 }` selects the last 20 messages before position
 * 100.
 */
export interface MessageRange {
  /** Only messages after this position. */
  readonly after?: number;
  /** Only messages before this position. */
  readonly before?: number;
  /** The maximum number of messages. Default: all. */
  readonly limit?: number;
}

/**
 * The messages to read. `{ messageId }` selects the one message to which a write gave this id in
 * `WriteOptions.messageIds`.
 */
export type MessageSelection = "all" | "none" | MessageRange | { readonly messageId: string };

/** Options of `readConversation`: what to return of the conversation. */
export interface ReadOptions {
  /** The messages to return. Default `"all"`. The cost depends on the number of selected messages. */
  readonly messages?: MessageSelection;
  /**
   * The owner of the conversation that a later write may create. If the read finds no conversation, the returned
   * `incarnation` takes account of this user's deletions: a write that expects it is refused if
   * `clearUserConversations` was called for this user after the read. `userId` doesn't restrict which conversations can
   * be read; `owner` does.
   */
  readonly userId?: string;
  /**
   * If present, the conversation is only read if it belongs to this user. A conversation that belongs to another user,
   * or to no user, counts as missing, and none of its messages is read.
   */
  readonly owner?: string;
  /**
   * The idempotency key of an earlier write. If present, {@link ConversationReading.receipt} describes the conversation
   * right after that write.
   */
  readonly receiptFor?: string;
  /** If this signal is aborted, a wrapper such as `withRetry` makes no further attempt. Stores ignore the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** The state of the conversation right after a write. */
export interface WriteReceipt {
  /** The position after the last message, right after the write. */
  readonly nextPosition: number;
  /**
   * The number of stored messages (`metadata.totalMessages`) right after the write. Messages that the write trimmed are
   * not counted. Absent if `readConversation` returned the receipt.
   */
  readonly totalMessages?: number;
  /**
   * `metadata.version` right after the write. The next write can pass this version as `WriteOptions.expectedVersion`.
   * Absent if `readConversation` returned the receipt.
   */
  readonly version?: number;
  /** `metadata.historyDigest` right after the write. Absent if `readConversation` returned the receipt. */
  readonly historyDigest?: string;
  /**
   * The incarnation of the conversation. The next write can pass this incarnation as
   * `WriteOptions.expectedIncarnation`. Only present if the write had `expectedVersion: 0` and so created the
   * conversation.
   */
  readonly incarnation?: string;
}

/**
 * The result of a write. `receipt` describes the conversation right after the write. `receipt` is absent in three
 * cases:
 *
 * - The write failed.
 * - An earlier call already made the write under the same idempotency key.
 * - The store returns no receipts.
 */
export type WriteResult = Result<void> & { readonly receipt?: WriteReceipt };

/** Returns the receipt from the result of a write, or `undefined` if the write failed or the result has no receipt. */
export const receiptOf = (result: WriteResult): WriteReceipt | undefined =>
  result.success ? result.receipt : undefined;

type Write = (...given: Parameters<MemoryProvider["appendMessages"]>) => Promise<WriteResult>;

/**
 * The result of comparing the stored messages with their digests. `intact` is `true` if the stored messages are the
 * written messages, in order. If an attacker changes messages and also computes all digests again, the change is not
 * detected.
 */
export type ConversationVerification =
  | {
      readonly intact: true;
      /** The number of stored messages. */
      readonly messages: number;
      /**
       * The number of stored messages without a digest. They can't be checked, because they were written before the
       * store kept digests.
       */
      readonly unchecked: number;
    }
  | {
      readonly intact: false;
      /** The position of the first message that differs from the message that was written at this position. */
      readonly position: number;
      /**
       * - `changed`: a different message is stored at this position. Its text was changed, or a message was removed,
       *   duplicated or moved.
       * - `missing`: no message is stored at this position or after it, although the store has recorded more messages.
       * - `unexpected`: more messages are stored than the store has recorded.
       */
      readonly found: "changed" | "missing" | "unexpected";
    };

/** The result of `readConversation`: a consistent snapshot of a conversation. */
export interface ConversationReading {
  /** The conversation, with only the selected messages. `null` if it doesn't exist. */
  readonly conversation: ConversationMemory | null;
  /**
   * The value for `WriteOptions.expectedIncarnation` of a later write. Present even if the conversation doesn't exist.
   * In this case, the later write is refused if the conversation was created after this read.
   */
  readonly incarnation: string;
  /**
   * The position of the first selected message. If no message is selected, it is the position that the next message
   * will get.
   */
  readonly firstPosition: number;
  /**
   * The state after the write with the idempotency key `receiptFor`. Absent if no write with this key was made, or if
   * the store no longer keeps the key.
   */
  readonly receipt?: WriteReceipt;
  /**
   * The time of the read by the store's clock. All processes see the same clock, so they can compare the time limit of
   * a lease with `readAt`. Present even if the conversation doesn't exist. For one conversation, a later read never has
   * an earlier time, unless the store's clock is set back or another server of the store takes over.
   */
  readonly readAt: Date;
}

/**
 * A whole conversation with all its stored data. `exportConversation` returns such a record, and `importConversation`
 * takes it.
 */
export interface ConversationRecord {
  readonly conversationId: string;
  readonly userId?: string;
  readonly messages: readonly Message[];
  /**
   * The ids that writes gave the messages in `WriteOptions.messageIds`, in the order of the messages; `null` for a
   * message without an id. Absent if no message has an id.
   */
  readonly messageIds?: readonly (string | null)[];
  /** The metadata fields that writes have set, without the fields that the store adds. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly lastActivity: Date;
  /** Counts the changes of the messages, from 1. */
  readonly version: number;
  readonly metadataVersion: number;
  /** The position of the conversation's first stored message. */
  readonly firstPosition: number;
  /** The ids of all traces that wrote to the conversation. */
  readonly traceIds: readonly string[];
  readonly ttlSeconds?: number;
}

/**
 * A {@link MemoryProvider} with the additional methods of this project's providers. Each additional method is atomic,
 * except `verifyConversation`, which makes several reads.
 */
export interface VersionedMemoryProvider extends MemoryProvider {
  readonly storeMessages: Write;
  readonly appendMessages: Write;

  /**
   * Returns the selected messages of a conversation, with the versions and the incarnation that a later write can
   * expect. If the conversation doesn't exist, the call also succeeds: `conversation` is `null`.
   */
  readonly readConversation: (
    conversationId: string,
    options?: ReadOptions,
  ) => Promise<Result<ConversationReading>>;

  /**
   * Returns the whole conversation as a record for `importConversation`, or `null` if it doesn't exist. The record
   * doesn't contain the conversation's children, nor its parent. `MemoryQuery.childrenOf` lists the children, which can
   * be exported on their own.
   */
  readonly exportConversation: (conversationId: string) => Promise<Result<ConversationRecord | null>>;

  /**
   * Creates a conversation with the times, versions, positions and traces of the exported conversation. The new
   * conversation gets a new incarnation, so a write that expects the incarnation of the exported conversation is
   * refused. If a conversation with this id exists, the import fails with a `MemoryConflictError` with reason
   * `"version"`. The new conversation expires `ttlSeconds` after the last activity of the exported conversation. With the option `childOf`, the new conversation is
   * a child: see `WriteOptions.childOf`.
   */
  readonly importConversation: (
    record: ConversationRecord,
    options?: Pick<WriteOptions, "idempotencyKey" | "expectedIncarnation" | "childOf">,
  ) => Promise<Result<void>>;

  /**
   * Compares each stored message with the digest that was computed when the message was written. In this way, the
   * method detects changes that weren't made through this library (e.g. by an SQL statement). Returns `null` if the
   * conversation doesn't exist. Reads 200 messages at a time, and also checks messages that are written during the
   * call. If the store keeps no digests, the call fails with a `MemoryStorageError`.
   */
  readonly verifyConversation: (conversationId: string) => Promise<Result<ConversationVerification | null>>;
}

/** Whether the provider has the methods of a {@link VersionedMemoryProvider}. */
export const isVersionedProvider = (provider: MemoryProvider): provider is VersionedMemoryProvider =>
  "readConversation" in provider && typeof provider.readConversation === "function";

/** The methods of a {@link VersionedMemoryProvider} that a {@link MemoryProvider} doesn't have. */
export type VersionedMethods = Omit<VersionedMemoryProvider, keyof MemoryProvider>;

const NAMES: Readonly<Record<keyof VersionedMethods, true>> = {
  readConversation: true,
  exportConversation: true,
  importConversation: true,
  verifyConversation: true,
};

/** Returns those methods of {@link VersionedMethods} that the provider has, each bound to the provider. */
export function versionedMethods(provider: MemoryProvider): Partial<VersionedMethods> {
  const methods = Object.keys(NAMES).flatMap((name) => {
    const method: unknown = Reflect.get(provider, name);
    return typeof method === "function" ? [[name, method.bind(provider)] as const] : [];
  });
  return Object.fromEntries(methods) as Partial<VersionedMethods>;
}

/** The name of a provider's method. */
export type Operation = keyof VersionedMemoryProvider;
