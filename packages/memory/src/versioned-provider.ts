import type { Message } from "./message.ts";
import type { ConversationMemory, MemoryProvider, WriteOptions } from "./provider.ts";
import type { Result } from "./result.ts";

/**
 * A part of a conversation, by positions (see `ConversationMetadata.nextPosition`), which needn't exist. `limit` counts
 * from `after` where that is given, else from the end: `{ before: 100, limit: 20 }` are the last 20 before position 100.
 */
export interface MessageRange {
  /** Only messages behind this position. */
  readonly after?: number;
  /** Only messages before this position. */
  readonly before?: number;
  /** At most this many; absent: all. */
  readonly limit?: number;
}

/** Which messages to read; `messageId`: the one that was written with this id of its own. */
export type MessageSelection = "all" | "none" | MessageRange | { readonly messageId: string };

export interface ReadOptions {
  /** Default `"all"`. Costs what is selected. */
  readonly messages?: MessageSelection;
  /**
   * For whom the conversation would be made. Then `incarnation` of one that isn't there also names the last time when
   * everything of this user was cleared: a write that expects it, and makes the conversation for the user, is refused
   * once that is done again. The conversation is read whoever owns it.
   */
  readonly userId?: string;
  /** Asks what became of a write with this idempotency key: see {@link ConversationReading.receipt}. */
  readonly receiptFor?: string;
  /** Ends the waits between the attempts of a wrapper, as `WriteOptions.signal` does. A store ignores it. */
  readonly signal?: AbortSignal | undefined;
}

/** What a write left behind. */
export interface WriteReceipt {
  /** The position behind the last message that was there after the write. */
  readonly nextPosition: number;
  /** `metadata.totalMessages` after the write, which may have dropped the oldest. Not with a receipt that is read. */
  readonly totalMessages?: number;
  /** `metadata.version` after the write, for `WriteOptions.expectedVersion` of the next. Not with a receipt that is read. */
  readonly version?: number;
  /** `metadata.historyDigest` after the write. Not with a receipt that is read. */
  readonly historyDigest?: string;
}

/** `receipt`: where this call has written. Absent where an earlier call had, under the same idempotency key. */
export type WriteResult = Result<void> & { readonly receipt?: WriteReceipt };

/** The receipt that came with the result of a write, if one did. */
export const receiptOf = (result: WriteResult): WriteReceipt | undefined =>
  result.success ? result.receipt : undefined;

type Write = (...given: Parameters<MemoryProvider["appendMessages"]>) => Promise<WriteResult>;

/**
 * Whether the messages are those that were written, in their order. Proves nothing against somebody who can make all
 * digests anew.
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
      /** Of the first message that isn't what was written at this position. */
      readonly position: number;
      /**
       * `changed`: it isn't what was written there: its text was changed, or it was removed, doubled or moved. `missing`: from
       * here on nothing is stored, though the store counts more. `unexpected`: the store doesn't count it.
       */
      readonly found: "changed" | "missing" | "unexpected";
    };

/** A conversation as it was at one moment. */
export interface ConversationReading {
  /** With the selected messages alone; `null` if there is none. */
  readonly conversation: ConversationMemory | null;
  /** For `WriteOptions.expectedIncarnation`. There also where nothing is. */
  readonly incarnation: string;
  /** The position of the first selected message; where none is, of the next that would be written. */
  readonly firstPosition: number;
  /** Absent: no write with `receiptFor` was done, or it is older than keys are remembered. */
  readonly receipt?: WriteReceipt;
  /**
   * When it was read, by the store's clock, also where nothing is: the one clock that all processes have in common, which
   * leases are measured by. Of one conversation it doesn't go back, unless the clock itself is set back, or another server
   * takes over.
   */
  readonly readAt: Date;
}

/** A whole conversation with all that a store knows of it: made by `exportConversation`, taken by `importConversation`. */
export interface ConversationRecord {
  readonly conversationId: string;
  readonly userId?: string;
  readonly messages: readonly Message[];
  /** The messages' own ids, in their order, `null` for one without; absent: none has one. */
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

/** What the stores of this project offer beyond the specification's ten methods: each in one atomic step. */
export interface VersionedMemoryProvider extends MemoryProvider {
  readonly storeMessages: Write;
  readonly appendMessages: Write;

  /** Reads a part of a conversation, nothing of it, or its absence, with what a write can expect. */
  readonly readConversation: (
    conversationId: string,
    options?: ReadOptions,
  ) => Promise<Result<ConversationReading>>;

  /** The whole conversation as `importConversation` takes it; `null` if there is none. */
  readonly exportConversation: (conversationId: string) => Promise<Result<ConversationRecord | null>>;

  /**
   * Creates a conversation that keeps the times, versions, positions and traces of its source. It gets an incarnation of
   * its own: what still expects the source's is refused. One that exists is a `MemoryConflictError` of reason `"version"`.
   * It expires `ttlSeconds` after the source's last activity.
   */
  readonly importConversation: (
    record: ConversationRecord,
    options?: Pick<WriteOptions, "idempotencyKey" | "expectedIncarnation">,
  ) => Promise<Result<void>>;

  /**
   * Compares each message with the digest that was made when it was written: finds what something else than this
   * library changed in the store. `null` if there is no such conversation. Reads 200 messages at once, and needs no quiet:
   * what is written meanwhile is checked, too. A store that keeps no digests is a `MemoryStorageError`.
   */
  readonly verifyConversation: (conversationId: string) => Promise<Result<ConversationVerification | null>>;
}

/** Whether the provider is one of ours, or a wrapper that passes their methods on. */
export const isVersionedProvider = (provider: MemoryProvider): provider is VersionedMemoryProvider =>
  "readConversation" in provider && typeof provider.readConversation === "function";
