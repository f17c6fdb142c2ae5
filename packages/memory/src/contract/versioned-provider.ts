import type { Result } from "./errors.ts";
import type { Message } from "./message.ts";
import type { ConversationMemory, MemoryProvider, WriteOptions } from "./provider.ts";

/**
 * A part of a conversation, by positions (see `ConversationMetadata.nextPosition`); they may lie outside of what is stored.
 * `limit` counts from `after` if that is given, otherwise from the end: `{ before: 100, limit: 20 }` are the last 20 before
 * position 100.
 */
export interface MessageRange {
  /** Only messages after this position. */
  readonly after?: number;
  /** Only messages before this position. */
  readonly before?: number;
  /** At most this many; absent: all. */
  readonly limit?: number;
}

/** Which messages to read. `messageId`: the message that was written with this id in `WriteOptions.messageIds`. */
export type MessageSelection = "all" | "none" | MessageRange | { readonly messageId: string };

export interface ReadOptions {
  /** Default `"all"`. Costs what is selected. */
  readonly messages?: MessageSelection;
  /**
   * The user for whom the conversation may be created after this read. If it doesn't exist, `incarnation` then also covers
   * the latest `clearUserConversations` of this user: a write that expects it and creates the conversation for the user is
   * refused if the user was cleared again. Doesn't restrict whose conversation is read.
   */
  readonly userId?: string;
  /** Asks for the receipt of a write with this idempotency key: see {@link ConversationReading.receipt}. */
  readonly receiptFor?: string;
  /** Ends the waits between the attempts of a wrapper, as `WriteOptions.signal` does. A store ignores it. */
  readonly signal?: AbortSignal | undefined;
}

/** The state of the conversation after a write. */
export interface WriteReceipt {
  /** The position after the last message, right after the write. */
  readonly nextPosition: number;
  /** `metadata.totalMessages` after the write, which may have dropped the oldest. Absent in a receipt from a read. */
  readonly totalMessages?: number;
  /**
   * `metadata.version` after the write, for `WriteOptions.expectedVersion` of the next write. Absent in a receipt from a
   * read.
   */
  readonly version?: number;
  /** `metadata.historyDigest` after the write. Absent in a receipt from a read. */
  readonly historyDigest?: string;
  /** For `WriteOptions.expectedIncarnation` of the next write. Only of a write that expected version 0, and so has created it. */
  readonly incarnation?: string;
}

/** `receipt`: the state after this write. Absent if an earlier call already did the write under the same idempotency key. */
export type WriteResult = Result<void> & { readonly receipt?: WriteReceipt };

/** The receipt in the result of a write, if there is one. */
export const receiptOf = (result: WriteResult): WriteReceipt | undefined =>
  result.success ? result.receipt : undefined;

type Write = (...given: Parameters<MemoryProvider["appendMessages"]>) => Promise<WriteResult>;

/**
 * Whether the messages are those that were written, in their order. No protection against somebody who can
 * recompute all digests.
 */
export type ConversationVerification =
  | {
      readonly intact: true;
      /** How many are stored. */
      readonly messages: number;
      /** How many of them, the oldest, were written before digests were kept, and can't be checked. */
      readonly unchecked: number;
    }
  | {
      readonly intact: false;
      /** The position of the first message that isn't the one written there. */
      readonly position: number;
      /**
       * `changed`: another message is stored there: its text was changed, or a message was removed, duplicated or moved.
       * `missing`: nothing is stored from here on, although the store counts more messages. `unexpected`: there are more
       * messages than the store counts.
       */
      readonly found: "changed" | "missing" | "unexpected";
    };

/** A conversation as it was at one moment. */
export interface ConversationReading {
  /** With only the selected messages; `null` if there is no conversation. */
  readonly conversation: ConversationMemory | null;
  /** For `WriteOptions.expectedIncarnation`. Also given if there is no conversation. */
  readonly incarnation: string;
  /** The position of the first selected message; if none is selected, the position of the next message to be written. */
  readonly firstPosition: number;
  /** Absent: no write with `receiptFor` was done, or so long ago that its key is no longer kept. */
  readonly receipt?: WriteReceipt;
  /**
   * When it was read, by the clock of the store, which all processes share: leases are measured with it. Also given if
   * there is no conversation. For one conversation it never goes back, unless the clock is set back or another server takes
   * over.
   */
  readonly readAt: Date;
}

/**
 * A whole conversation with everything that the store keeps about it: returned by `exportConversation`, accepted by
 * `importConversation`.
 */
export interface ConversationRecord {
  readonly conversationId: string;
  readonly userId?: string;
  readonly messages: readonly Message[];
  /**
   * The ids from `WriteOptions.messageIds`, in the order of the messages, `null` for a message without one; absent: no
   * message has one.
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
  /** Every trace that wrote to it. */
  readonly traceIds: readonly string[];
  readonly ttlSeconds?: number;
}

/**
 * What the providers of this project offer beyond the ten methods of {@link MemoryProvider}. Each method is one atomic
 * step.
 */
export interface VersionedMemoryProvider extends MemoryProvider {
  readonly storeMessages: Write;
  readonly appendMessages: Write;

  /**
   * Reads the selected messages of a conversation, with the versions and the incarnation that a write can expect. A
   * conversation that doesn't exist can be read, too.
   */
  readonly readConversation: (
    conversationId: string,
    options?: ReadOptions,
  ) => Promise<Result<ConversationReading>>;

  /** The whole conversation as `importConversation` takes it; `null` if there is none. */
  readonly exportConversation: (conversationId: string) => Promise<Result<ConversationRecord | null>>;

  /**
   * Creates a conversation that keeps the times, versions, positions and traces of its source. It gets a new incarnation:
   * writes that expect the source's are refused. A conversation that exists is a `MemoryConflictError` of reason
   * `"version"`. It expires `ttlSeconds` after the source's last activity.
   */
  readonly importConversation: (
    record: ConversationRecord,
    options?: Pick<WriteOptions, "idempotencyKey" | "expectedIncarnation">,
  ) => Promise<Result<void>>;

  /**
   * Compares each message with the digest that was made when it was written: finds changes that weren't made through this
   * library. `null` if there is no such conversation. Reads 200 messages at a time. Others may write meanwhile: their
   * messages are checked, too. A store that keeps no digests is a `MemoryStorageError`.
   */
  readonly verifyConversation: (conversationId: string) => Promise<Result<ConversationVerification | null>>;
}

/** Whether the provider is a {@link VersionedMemoryProvider}, or a wrapper that passes its methods on. */
export const isVersionedProvider = (provider: MemoryProvider): provider is VersionedMemoryProvider =>
  "readConversation" in provider && typeof provider.readConversation === "function";

/** What the stores of this project have beyond the ten methods. */
export type VersionedMethods = Omit<VersionedMemoryProvider, keyof MemoryProvider>;

const NAMES: Readonly<Record<keyof VersionedMethods, true>> = {
  readConversation: true,
  exportConversation: true,
  importConversation: true,
  verifyConversation: true,
};

/** Those that the provider has, bound to it. */
export function versionedMethods(provider: MemoryProvider): Partial<VersionedMethods> {
  const methods = Object.keys(NAMES).flatMap((name) => {
    const method: unknown = Reflect.get(provider, name);
    return typeof method === "function" ? [[name, method.bind(provider)] as const] : [];
  });
  return Object.fromEntries(methods) as Partial<VersionedMethods>;
}

/** A method of the contract. */
export type Operation = keyof VersionedMemoryProvider;
