import type { Result } from "./errors.ts";
import type { Message } from "./message.ts";
import type { ConversationMemory, MemoryProvider, WriteOptions } from "./provider.ts";

/**
 * A range of positions in a conversation (see `ConversationMetadata.nextPosition`). It can extend beyond the stored
 * messages. `limit` counts from `after`, if given, otherwise from the end: `{ before: 100, limit: 20 }` selects the
 * last 20 messages before position 100.
 */
export interface MessageRange {
  /** Only messages after this position. */
  readonly after?: number;
  /** Only messages before this position. */
  readonly before?: number;
  /** The maximum number of messages. Default: all. */
  readonly limit?: number;
}

/** The messages to read. `messageId` selects the message that was written with this id in `WriteOptions.messageIds`. */
export type MessageSelection = "all" | "none" | MessageRange | { readonly messageId: string };

/** Options of `readConversation`. */
export interface ReadOptions {
  /** Default `"all"`. The cost depends on the selected messages. */
  readonly messages?: MessageSelection;
  /**
   * The user for whom you may create the conversation after this read. If the conversation doesn't exist, `incarnation`
   * then also covers the latest `clearUserConversations` of this user: a write that expects it is refused if the user
   * was cleared again since. Doesn't restrict which conversations can be read; see `owner`.
   */
  readonly userId?: string;
  /**
   * Reads the conversation only if it belongs to this user. Any other conversation counts as missing, and none of its
   * messages is read.
   */
  readonly owner?: string;
  /** The idempotency key of the write to get the receipt of: see {@link ConversationReading.receipt}. */
  readonly receiptFor?: string;
  /** Stops a wrapper from waiting for another attempt, like `WriteOptions.signal`. Stores ignore it. */
  readonly signal?: AbortSignal | undefined;
}

/** The state of the conversation after a write. */
export interface WriteReceipt {
  /** The position after the last message, right after the write. */
  readonly nextPosition: number;
  /**
   * `metadata.totalMessages` after the write, which may have dropped the oldest messages. Absent in a receipt from a
   * read.
   */
  readonly totalMessages?: number;
  /**
   * `metadata.version` after the write, for `WriteOptions.expectedVersion` of the next write. Absent in a receipt from a
   * read.
   */
  readonly version?: number;
  /** `metadata.historyDigest` after the write. Absent in a receipt from a read. */
  readonly historyDigest?: string;
  /**
   * For `WriteOptions.expectedIncarnation` of the next write. Only if the write expected version 0 and so created the
   * conversation.
   */
  readonly incarnation?: string;
}

/**
 * The result of a write. `receipt` is the state after it. Absent if an earlier call already made the write under the
 * same idempotency key.
 */
export type WriteResult = Result<void> & { readonly receipt?: WriteReceipt };

/** Returns the receipt from the result of a write, or `undefined`. */
export const receiptOf = (result: WriteResult): WriteReceipt | undefined =>
  result.success ? result.receipt : undefined;

type Write = (...given: Parameters<MemoryProvider["appendMessages"]>) => Promise<WriteResult>;

/**
 * Whether the stored messages are the written ones, in order. Doesn't detect a manipulation that recomputes all
 * digests.
 */
export type ConversationVerification =
  | {
      readonly intact: true;
      /** The number of stored messages. */
      readonly messages: number;
      /** The number of them that can't be checked: the oldest, from before digests were kept. */
      readonly unchecked: number;
    }
  | {
      readonly intact: false;
      /** The position of the first message that differs from the written one. */
      readonly position: number;
      /**
       * - `changed`: a different message is stored there. Its text was changed, or a message was removed, duplicated or
       *   moved.
       * - `missing`: nothing is stored from here on, although the store counts more messages.
       * - `unexpected`: there are more messages than the store counts.
       */
      readonly found: "changed" | "missing" | "unexpected";
    };

/** A consistent snapshot of a conversation. */
export interface ConversationReading {
  /** Contains only the selected messages. `null` if the conversation doesn't exist. */
  readonly conversation: ConversationMemory | null;
  /** For `WriteOptions.expectedIncarnation`. Present even if the conversation doesn't exist. */
  readonly incarnation: string;
  /**
   * The position of the first selected message. If none is selected, the position of the next message to be written.
   */
  readonly firstPosition: number;
  /** Absent if no write with the key `receiptFor` was made, or if its key is no longer kept. */
  readonly receipt?: WriteReceipt;
  /**
   * The time of the read by the store's clock. All processes share this clock, so leases are measured with it. Present
   * even if the conversation doesn't exist. It never goes back for one conversation, unless the clock is set back or
   * another server takes over.
   */
  readonly readAt: Date;
}

/**
 * A whole conversation with all its stored data. `exportConversation` returns it, and `importConversation` takes it.
 */
export interface ConversationRecord {
  readonly conversationId: string;
  readonly userId?: string;
  readonly messages: readonly Message[];
  /**
   * The ids from `WriteOptions.messageIds`, in the order of the messages; `null` for a message without one. Absent if
   * no message has one.
   */
  readonly messageIds?: readonly (string | null)[];
  /** Without the store's own fields. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly lastActivity: Date;
  /** From 1. */
  readonly version: number;
  readonly metadataVersion: number;
  /** The position of the first message. */
  readonly firstPosition: number;
  /** All traces that wrote to it. */
  readonly traceIds: readonly string[];
  readonly ttlSeconds?: number;
}

/** The methods of this project's providers beyond the ten of {@link MemoryProvider}. Each method is one atomic step. */
export interface VersionedMemoryProvider extends MemoryProvider {
  readonly storeMessages: Write;
  readonly appendMessages: Write;

  /**
   * Reads the selected messages of a conversation, with the versions and the incarnation that a write can expect. Also
   * succeeds if the conversation doesn't exist.
   */
  readonly readConversation: (
    conversationId: string,
    options?: ReadOptions,
  ) => Promise<Result<ConversationReading>>;

  /** Returns the whole conversation for `importConversation`, or `null` if it doesn't exist. */
  readonly exportConversation: (conversationId: string) => Promise<Result<ConversationRecord | null>>;

  /**
   * Creates a conversation with the times, versions, positions and traces of its source. It gets a new incarnation, so
   * writes that expect the source's are refused. An existing conversation is a `MemoryConflictError` with reason
   * `"version"`. The conversation expires `ttlSeconds` after the source's last activity.
   */
  readonly importConversation: (
    record: ConversationRecord,
    options?: Pick<WriteOptions, "idempotencyKey" | "expectedIncarnation">,
  ) => Promise<Result<void>>;

  /**
   * Compares each message with the digest from its write, to find changes that weren't made through this library.
   * Returns `null` if the conversation doesn't exist. Reads 200 messages at a time. Messages that are written meanwhile
   * are checked, too. If the store keeps no digests, that is a `MemoryStorageError`.
   */
  readonly verifyConversation: (conversationId: string) => Promise<Result<ConversationVerification | null>>;
}

/** Whether the provider is a {@link VersionedMemoryProvider}, or a wrapper that passes its methods on. */
export const isVersionedProvider = (provider: MemoryProvider): provider is VersionedMemoryProvider =>
  "readConversation" in provider && typeof provider.readConversation === "function";

/** The methods of this project's stores beyond the ten. */
export type VersionedMethods = Omit<VersionedMemoryProvider, keyof MemoryProvider>;

const NAMES: Readonly<Record<keyof VersionedMethods, true>> = {
  readConversation: true,
  exportConversation: true,
  importConversation: true,
  verifyConversation: true,
};

/** Returns the versioned methods that the provider has, bound to it. */
export function versionedMethods(provider: MemoryProvider): Partial<VersionedMethods> {
  const methods = Object.keys(NAMES).flatMap((name) => {
    const method: unknown = Reflect.get(provider, name);
    return typeof method === "function" ? [[name, method.bind(provider)] as const] : [];
  });
  return Object.fromEntries(methods) as Partial<VersionedMethods>;
}

/** A method of the contract. */
export type Operation = keyof VersionedMemoryProvider;
