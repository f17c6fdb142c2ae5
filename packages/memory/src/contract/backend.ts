import { sha1, sha256 } from "#digest";
import type { MemoryConflictReason, MemoryErrorUnion } from "./errors.ts";
import type { Message } from "./message.ts";
import type { MemoryStats, ParentConversation } from "./provider.ts";
import type { TurnBeginning } from "./turn-beginning.ts";
import type { WriteReceipt } from "./versioned-provider.ts";

/**
 * The storage port: the methods that a backend implements. The provider validates and encodes all input first, so a
 * backend only does I/O. `defineMemoryProvider` makes a {@link VersionedMemoryProvider} from a backend. A backend
 * wrapper is a function that takes a backend and returns another backend around it.
 *
 * Methods may throw their driver's errors. The provider passes each thrown error to `toMemoryError`.
 */
export interface MemoryBackend {
  /** The store's name in errors and health reports (e.g. `"postgres"`). */
  readonly name: string;
  /**
   * Makes one write atomically: the checks and the changes that {@link ConversationWrite} lists happen together or not
   * at all.
   */
  readonly write: (write: ConversationWrite) => Promise<WriteOutcome>;
  /** Returns a consistent snapshot of one conversation. The cost is proportional to the number of selected messages. */
  readonly read: (request: ReadRequest) => Promise<ReadOutcome>;
  /** Reads messages with their digests. Absent: the store keeps no digests, so `verifyConversation` fails. */
  readonly history?: HistoryReader;
  /** Returns the conversations that match all conditions of the query, newest activity first. */
  readonly find: (query: ConversationQuery) => Promise<readonly StoredConversation[]>;
  /**
   * Deletes the conversation and all its descendants (its children, their children, and so on), and returns whether the
   * conversation existed. No child of it may be left or appear later, even if the process dies in between: a backend
   * that can't delete all of them in one step deletes the descendants first. In both cases, creates a tombstone: a
   * random id under the key `tombstoneKey("conversation", id)`, kept for `TOMBSTONE_SECONDS`. Each deleted descendant
   * gets a tombstone, too. The deletion and the creation of the tombstone are atomic.
   *
   * A write that creates the conversation at the same time comes before or after the deletion. If it comes before, the
   * deletion deletes the new conversation. If it comes after, it finds the tombstone.
   */
  readonly delete: (conversationId: string) => Promise<boolean>;
  /**
   * Deletes all conversations of a user, and returns their number without children. First creates a tombstone for the
   * user, then deletes each conversation as `delete` does. Also deletes children of this user whose parent has another
   * owner, or has expired.
   *
   * Another process may create a conversation of the user during this call. Either the call deletes this conversation,
   * or the write that creates it finds a tombstone.
   */
  readonly clearUser: (userId: string) => Promise<number>;
  /**
   * Returns statistics of one user's conversations, without children. Without `userId`, returns statistics of all
   * users' conversations.
   */
  readonly stats: (userId?: string) => Promise<MemoryStats>;
  /** Makes one round trip to the store. Throws if the store can't be reached. */
  readonly ping: () => Promise<void>;
  /** Closes the clients that the backend opened itself, but no client that it was given. Called at most once. */
  readonly close: () => Promise<void>;
  /**
   * Converts an error that a method threw into a tagged error. `operation` is the provider's method (e.g.
   * `"appendMessages"`). If the error names no provider, the provider adds the backend's `name`.
   */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Reads messages with their digests. When a store writes a message, it computes the message's digest in the same atomic
 * write: `nextDigest(algorithm, previousDigest, messageHash(body))`.
 *
 * - `previousDigest` is the digest of the message before. For the first stored message, it is `base`.
 * - In a new conversation, `base` is the incarnation.
 * - The digest of the last message is the conversation's `historyDigest`.
 * - If messages are dropped from the end, the digest of the last remaining message becomes the `historyDigest`.
 * - If the oldest messages are trimmed, or all messages are replaced, the digest of the last removed message becomes
 *   `base`.
 */
export interface HistoryReader {
  readonly algorithm: DigestAlgorithm;
  /**
   * Returns a consistent snapshot of the stored messages, or `null` if the conversation doesn't exist. Must not fail if
   * the number of stored messages differs from the recorded number (`nextPosition - firstPosition`), because
   * `verifyConversation` reports this difference.
   */
  readonly read: (request: HistoryRequest) => Promise<StoredHistory | null>;
}

/** Selects a part of a conversation whose messages are read with their digests. */
export interface HistoryRequest {
  readonly conversationId: string;
  /**
   * The position of the first message to read. If it is below the first stored position, the read begins at the first
   * stored message.
   */
  readonly from: number;
  /**
   * The maximum number of messages, at least 1. Messages beyond the recorded `nextPosition` (e.g. from another program)
   * are returned like all others.
   */
  readonly limit: number;
}

/** A part of a conversation's messages with their digests, as {@link HistoryReader} returns it. */
export interface StoredHistory {
  /** The position of the conversation's first stored message, as the store has recorded it. */
  readonly firstPosition: number;
  readonly nextPosition: number;
  /** The digest before the first stored message. In a new conversation it is the incarnation. */
  readonly base: string;
  /** The digest of the last message. Absent if no message has a digest. */
  readonly historyDigest?: string;
  /** The requested messages, in order. `digest` is `null` if the message was written before the store kept digests. */
  readonly messages: readonly { readonly body: StoredMessage; readonly digest: string | null }[];
}

/** A message in the form in which a backend stores it. */
export interface EncodedMessage {
  /**
   * The message as JSON text. NUL, line breaks and unpaired surrogates are escaped. The backend stores this text
   * unchanged.
   */
  readonly body: string;
  /**
   * Whether the message is a tool result. The backend must not trim a conversation so that it begins with a tool
   * result.
   */
  readonly isToolResult: boolean;
  /** The id that the writer gave the message in `WriteOptions.messageIds`. Absent if the writer gave no id. */
  readonly own?: OwnMessageId;
}

/** The id that a writer gave a message in `WriteOptions.messageIds`. It is unique in the conversation. */
export interface OwnMessageId {
  readonly id: string;
  /**
   * The SHA-256 of the message's content, hex. The backend stores this hash with the id. If a later write has a message
   * with the same id, the backend compares the two hashes.
   */
  readonly hash: string;
}

/**
 * One write to a conversation. The backend carries out the write atomically. It makes the checks in this order: expiry,
 * owner, idempotency key, incarnation, version, metadata version, existence, parent, length, message ids. Then it
 * writes, and then it trims the conversation.
 */
export interface ConversationWrite {
  readonly mode: "append" | "replace";
  readonly conversationId: string;
  readonly messages: readonly EncodedMessage[];
  /**
   * The owner. If the conversation has no owner yet, it gets this owner. If the conversation has a different owner, the
   * write is a conflict.
   */
  readonly userId?: string;
  readonly traceId?: string;
  /**
   * The metadata fields to store, including the `traceId` of the write. If one of the written messages has the role
   * `system` or `developer`, the field `systemContent` is included. An append overwrites the stored fields of these
   * names, and keeps all other stored fields. A replace removes all other stored fields.
   */
  readonly metadata: JsonObject;
  /** The version that the conversation must have; 0 if the conversation must not exist. */
  readonly expectedVersion?: number;
  /**
   * The metadata version that the conversation must have; 0 if no write has set metadata, or if the conversation must
   * not exist.
   */
  readonly expectedMetadataVersion?: number;
  /**
   * One of two forms:
   *
   * - `present`: the conversation must exist with this incarnation.
   * - `absent`: the conversation must not exist, and must not have been erased since the given tombstones were read.
   *
   * The backend checks `absent` in the same atomic write that creates the conversation. For this, it reads the current
   * tombstones under `tombstoneKey("conversation", id)` and `tombstoneKey("user", userId)`. If the write has no
   * `userId`, the current tombstone of the user is `null`. Then it passes the given and the current tombstones to
   * `isErasedSince`.
   */
  readonly expectedIncarnation?: ExpectedIncarnation;
  /**
   * If present, and the conversation doesn't exist, the write creates it. If absent, the outcome for a conversation
   * that doesn't exist is `"missing"`.
   */
  readonly create?: {
    /** The random incarnation of the conversation if this write creates it. */
    readonly incarnation: string;
  };
  /**
   * The parent of the conversation if this write creates it. Ignored if the conversation exists. The backend checks in
   * the same atomic write that the parent exists with this incarnation; otherwise the outcome is a conflict with reason
   * `"incarnation"`. If the parent's owner isn't `userId`, the outcome is a conflict with reason `"owner"`. Both checks
   * come after the check of the existence.
   *
   * If parent and child can't be checked in one step (e.g. on a cluster), the backend first adds the child's id to the
   * parent, atomically with the check, and then creates the child. An id too many does no harm.
   */
  readonly childOf?: ParentConversation;
  /** The number of messages to drop from the end before the append, at least 1. Absent in a replace. */
  readonly dropLast?: number;
  readonly idempotency?: {
    readonly key: string;
    /**
     * The SHA-256 of the whole write, hex. The expected versions and the expected incarnation are left out, because
     * they may differ between the attempts of a write.
     */
    readonly bodyHash: string;
  };
  readonly maxMessages?: number;
  readonly ttlSeconds?: number;
  /**
   * The turn that begins with the write. Only present if the backend is a `TurnBeginner` whose `canBegin` has accepted
   * the turn. The backend either writes and begins the turn, or does neither.
   */
  readonly beginsTurn?: TurnBeginning;
  /** The initial values of an imported conversation, which must not exist yet. Only present in a replace. */
  readonly source?: ConversationSource;
}

/** The values that an imported conversation takes over from the conversation that was exported. */
export interface ConversationSource {
  readonly createdAt: Date;
  readonly lastActivity: Date;
  readonly version: number;
  readonly metadataVersion: number;
  /** The position of the conversation's first stored message. */
  readonly firstPosition: number;
  readonly traceIds: readonly string[];
}

/** The reasons for which a store can refuse a write as a conflict. */
export type WriteConflictReason = Exclude<MemoryConflictReason, "lease">;

/** What became of a {@link ConversationWrite}. */
export type WriteOutcome =
  /**
   * The write was made. `receipt` describes the conversation after the write. Absent: runs must read the conversation
   * more often.
   */
  | { readonly status: "written"; readonly receipt?: WriteReceipt }
  /** An earlier call already made the same write under this idempotency key. Nothing changed. */
  | { readonly status: "replayed" }
  /** The conversation doesn't exist, and the write has no `create`. Nothing changed. */
  | { readonly status: "missing" }
  /**
   * The turn of `beginsTurn` can't begin (e.g. because another turn of the conversation is running), or the write was
   * already made under its idempotency key. Nothing changed.
   */
  | { readonly status: "turn" }
  | {
      readonly status: "conflict";
      readonly reason: WriteConflictReason;
      /** The stored version or metadata version. Present with the reasons `"version"` and `"metadata-version"`. */
      readonly actualVersion?: number;
    };

/** A store keeps an idempotency key at least until this many later writes to the same conversation were made. */
export const IDEMPOTENCY_WINDOW = 1_000;

/** A validated request to read one conversation. */
export interface ReadRequest {
  readonly conversationId: string;
  readonly messages: StoredSelection;
  /**
   * If present, a conversation that this user doesn't own counts as missing. `defineMemoryProvider` checks the owner,
   * so a backend may ignore this field. A backend that checks it need not read the messages of such a conversation.
   */
  readonly owner?: string;
  /** The idempotency key of an earlier write. If present, the outcome contains the receipt of that write. */
  readonly receiptFor?: string;
  /**
   * If present, and the conversation doesn't exist, the outcome contains the conversation's tombstone. If `userId` is
   * present, too, the outcome also contains the tombstone of this user.
   */
  readonly tombstones?: { readonly userId?: string };
  /** Whether to return `forExport`: the fields that only an export needs. */
  readonly forExport?: boolean;
  /** Whether to return `readAt`, the time of the read. */
  readonly asksTime?: boolean;
}

/** A validated `MessageSelection`. The `limit` of `"last"` and `"range"` is at least 1. */
export type StoredSelection =
  | { readonly kind: "all" }
  | { readonly kind: "none" }
  | { readonly kind: "last"; readonly limit: number }
  | {
      readonly kind: "range";
      /**
       * Two optional positions: only messages after the position `after` and before the position `before` are selected.
       */
      readonly after?: number;
      readonly before?: number;
      /**
       * The maximum number of messages. If `after` is present, the first messages after `after` are selected; otherwise
       * the last messages.
       */
      readonly limit?: number;
    }
  | { readonly kind: "message"; readonly messageId: string };

/** The result of a {@link ReadRequest}. `conversation` is `null` if the conversation doesn't exist. */
export type ReadOutcome = ReadContent & {
  /**
   * The time of the read by the store's clock, not this process's clock. Present if the request has `asksTime`, even if
   * the conversation doesn't exist.
   */
  readonly readAt?: Date;
};

type ReadContent =
  | {
      /** The conversation, with only the selected messages. */
      readonly conversation: StoredConversation;
      /** The position of the first selected message, or the conversation's `nextPosition` if no message is selected. */
      readonly firstPosition: number;
      /** `nextPosition` right after the write with the key `receiptFor`. Absent if the store doesn't hold this key. */
      readonly receipt?: { readonly nextPosition: number };
      /** Present if the request has `forExport`. */
      readonly forExport?: {
        readonly traceIds: readonly string[];
        readonly ttlSeconds?: number;
        /**
         * The ids that writes gave the messages in `WriteOptions.messageIds`, in the order of the messages; `null` for
         * a message without an id.
         */
        readonly messageIds: readonly (string | null)[];
      };
    }
  | {
      readonly conversation: null;
      /** Present if the request has `tombstones`. */
      readonly tombstones?: Tombstones;
    };

/**
 * The message's JSON text as it was written. A backend that keeps objects may return the result of `decodeMessage` for
 * this text instead.
 */
export type StoredMessage = string | Message;

/** A stored conversation, in the form in which a backend returns it. */
export interface StoredConversation {
  readonly conversationId: string;
  readonly userId?: string;
  /** The id of the parent. Absent: the conversation isn't a child. */
  readonly childOf?: string;
  /** The selected messages, in the order of their positions. Empty if the request selected none. */
  readonly messages: readonly StoredMessage[];
  readonly metadata: JsonObject;
  readonly createdAt: Date;
  readonly lastActivity: Date;
  /** The number of messages that are stored now, including those that were not selected. */
  readonly totalMessages: number;
  /**
   * Counts the changes of the messages: 1 after the creation. Increases by one with each write that adds, drops or
   * trims messages, and with each replacement. Doesn't increase if a write only contains messages that are already
   * stored under their ids.
   */
  readonly version: number;
  /**
   * Counts the writes with non-empty `metadata`, and the replacements. A `storeMessages` that creates the conversation
   * counts as a replacement.
   */
  readonly metadataVersion: number;
  /**
   * The position that the next message will get. The stored messages have the positions directly before this one,
   * without gaps.
   */
  readonly nextPosition: number;
  readonly incarnation: string;
  /** The digest of the last message, as {@link HistoryReader} describes it. Absent if no message has a digest. */
  readonly historyDigest?: string;
}

/**
 * A validated {@link MemoryQuery}. The conversation with the newest activity comes first. The backend chooses the order
 * of conversations with the same time of activity. This order must be the same in every query, with or without
 * `cursor`.
 */
export interface ConversationQuery {
  readonly conversationId?: string;
  readonly userId?: string;
  /**
   * Only children of this conversation. If it doesn't exist or has expired, none. If neither this field nor
   * `conversationId` is present, only conversations that aren't children.
   */
  readonly childrenOf?: string;
  /** Only conversations to which this trace wrote. */
  readonly traceId?: string;
  /** Only conversations whose last activity was at or after this time. */
  readonly since?: Date;
  /** Only conversations whose last activity was at or before this time. */
  readonly until?: Date;
  /** The maximum number of conversations, at least 1. Default: all. */
  readonly limit?: number;
  /** The number of conversations to skip at the beginning of the result. */
  readonly offset: number;
  /** Only conversations that come after this place in the order of the result. */
  readonly cursor?: ConversationPosition;
  readonly includeMessages: boolean;
}

/** A place in a list of conversations: directly after the conversation with these values. */
export interface ConversationPosition {
  readonly lastActivity: Date;
  readonly conversationId: string;
}

/** How long a tombstone is kept: 24 hours, in seconds. */
export const TOMBSTONE_SECONDS = 24 * 60 * 60;

/**
 * The tombstones of a conversation and of its user: random ids that deletions leave. A tombstone is `null` if there was
 * no such deletion in the last 24 hours.
 */
export interface Tombstones {
  readonly conversation: string | null;
  /** The tombstone of the user for whom the conversation would be created. Also `null` if the request names no user. */
  readonly user: string | null;
}

/** The state of a conversation's existence that a write expects. */
export type ExpectedIncarnation =
  | { readonly present: string }
  /** The conversation must not exist, and must not have been erased since these tombstones were read. */
  | { readonly absent: Tombstones };

/**
 * Returns the key under which a tombstone is stored: the SHA-256 of the id (base64url, 43 characters). The id itself
 * isn't stored, because it may identify a person, and a tombstone outlives the deleted data.
 */
export const tombstoneKey = (kind: "conversation" | "user", id: string): string =>
  sha256(`${kind}\0${id}`, "base64url");

const ABSENT = /^none:([\w-]{0,64}):([\w-]{0,64})$/;

export const absentIncarnation = ({ conversation, user }: Tombstones): string =>
  `none:${conversation ?? ""}:${user ?? ""}`;

/**
 * Converts `WriteOptions.expectedIncarnation` into an `ExpectedIncarnation`. Returns `undefined` if no read returns
 * such a text.
 */
export function parseIncarnation(incarnation: string): ExpectedIncarnation | undefined {
  if (!incarnation.startsWith("none:")) return { present: incarnation };
  const [, conversation, user] = ABSENT.exec(incarnation) ?? [];
  if (conversation === undefined || user === undefined) return undefined;
  return { absent: { conversation: conversation || null, user: user || null } };
}

/**
 * Whether the conversation, or all conversations of its user, were deleted between two reads. `seen` contains the
 * tombstones from the earlier read, `now` those from the later read. The result is reliable if the two reads are less
 * than 24 hours apart (`TOMBSTONE_SECONDS`).
 */
export const isErasedSince = (seen: Tombstones, now: Tombstones): boolean =>
  // A tombstone that is only in `seen` has expired. It means no new deletion, because each deletion creates a
  // tombstone.
  (now.conversation !== null && now.conversation !== seen.conversation) ||
  (now.user !== null && now.user !== seen.user);

/**
 * The hash function that a store uses for digests of histories. `sha1` is for Redis, because its scripts support no
 * other hash function.
 */
export type DigestAlgorithm = "sha1" | "sha256";

/**
 * Returns the SHA-256 of a message's stored text (body), hex. The writing process computes this hash, so that a script
 * in the store only has to process the short hash, not the text.
 */
export const messageHash = (body: string): string => sha256(body, "hex");

/**
 * Returns the digest of a history after one more message, hex. `previous` is the digest before the message. For the
 * first message, `previous` is the conversation's incarnation. Therefore two conversations never have the same digest.
 */
export const nextDigest = (algorithm: DigestAlgorithm, previous: string, messageHashHex: string): string =>
  (algorithm === "sha1" ? sha1 : sha256)(previous + messageHashHex, "hex");

/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };
