import { sha1, sha256 } from "#digest";
import type { MemoryConflictReason, MemoryErrorUnion } from "./errors.ts";
import type { Message } from "./message.ts";
import type { MemoryStats } from "./provider.ts";
import type { TurnBeginning } from "./turn-beginning.ts";
import type { WriteReceipt } from "./versioned-provider.ts";

/**
 * The storage port: what a backend implements. Input is already validated and encoded, so a backend only does I/O.
 * `defineMemoryProvider` turns it into a {@link VersionedMemoryProvider}. A wrapper is a function from one backend to
 * another.
 *
 * Methods throw their driver's errors; `toMemoryError` translates them in one place.
 */
export interface MemoryBackend {
  /** The name in errors and health reports, e.g. `"postgres"`. */
  readonly name: string;
  /** Makes one write as a single atomic step: see {@link ConversationWrite}. */
  readonly write: (write: ConversationWrite) => Promise<WriteOutcome>;
  /** A consistent snapshot. The cost is proportional to the number of selected messages. */
  readonly read: (request: ReadRequest) => Promise<ReadOutcome>;
  /** Absent: the store keeps no digests, and can't detect changes made by others. */
  readonly history?: HistoryReader;
  /** Finds conversations, newest activity first. */
  readonly find: (query: ConversationQuery) => Promise<readonly StoredConversation[]>;
  /**
   * Returns whether the conversation existed. In either case, creates a tombstone for it: a random id under
   * `tombstoneKey("conversation", id)`, kept for `TOMBSTONE_SECONDS`. Deletion and tombstone are one atomic step: a
   * concurrent creation either comes before both, and is deleted, or sees the tombstone.
   */
  readonly delete: (conversationId: string) => Promise<boolean>;
  /**
   * Returns the number of deleted conversations. First creates a tombstone for the user, then deletes each conversation
   * as `delete` does. If a conversation of the user is created meanwhile, it is deleted, or its creation sees a
   * tombstone.
   */
  readonly clearUser: (userId: string) => Promise<number>;
  /** Returns statistics of one user's conversations or, without a user, of all users'. */
  readonly stats: (userId?: string) => Promise<MemoryStats>;
  /** Makes one round trip to the store. Throws if the store can't be reached. */
  readonly ping: () => Promise<void>;
  /** Called once. Closes only what the backend opened itself. */
  readonly close: () => Promise<void>;
  /** Translates an error that a method threw. `operation` is the provider's method that failed. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Reads messages with their digests. The store computes a message's digest in the step that writes it:
 * `nextDigest(algorithm, previous, messageHash(body))`. The digest of the last message is the conversation's
 * `historyDigest`. If messages are dropped from the end, the digest of the last remaining message becomes the
 * `historyDigest`. If messages are trimmed or replaced, the last digest of the removed messages becomes `base`.
 * Initially, `base` is the incarnation.
 */
export interface HistoryReader {
  readonly algorithm: DigestAlgorithm;
  /** A consistent snapshot of the stored messages. Missing or additional messages are not a failure. */
  readonly read: (request: HistoryRequest) => Promise<StoredHistory | null>;
}

/** A request for a part of a conversation's messages with their digests. */
export interface HistoryRequest {
  readonly conversationId: string;
  /** The position to read from. A lower value than the first stored position reads from the first. */
  readonly from: number;
  /** The maximum number of messages, at least 1. Includes messages beyond the last one that the store counts. */
  readonly limit: number;
}

/** A part of a conversation's messages with their digests. Returned by {@link HistoryReader}. */
export interface StoredHistory {
  /** The position of the first stored message, by the store's own count. */
  readonly firstPosition: number;
  readonly nextPosition: number;
  /** The digest before the first message. */
  readonly base: string;
  /** Absent if no message has a digest. */
  readonly historyDigest?: string;
  /** The requested messages, in order. `digest` is `null` for a message from before digests were kept. */
  readonly messages: readonly { readonly body: StoredMessage; readonly digest: string | null }[];
}

/** A message as stored. */
export interface EncodedMessage {
  /** JSON text. NUL, line breaks and unpaired surrogates are escaped. Store it as text. */
  readonly body: string;
  /** Whether the message is a tool result. A trim must not leave one at the start of the conversation. */
  readonly isToolResult: boolean;
  /** Absent if the message has no id of its own. */
  readonly own?: OwnMessageId;
}

/** A message's own id, unique in its conversation. */
export interface OwnMessageId {
  readonly id: string;
  /** SHA-256 of the message, hex. Store it with the id, to compare a later message with the same id. */
  readonly hash: string;
}

/**
 * One write: a single atomic step in this order: expiry, owner, idempotency, incarnation, version, metadata version,
 * existence, length, message ids, write, trim.
 */
export interface ConversationWrite {
  readonly mode: "append" | "replace";
  readonly conversationId: string;
  readonly messages: readonly EncodedMessage[];
  /** The owner to set if there is none yet. A different existing owner is a conflict. */
  readonly userId?: string;
  readonly traceId?: string;
  /**
   * The fields to store, including `traceId`, and `systemContent` if the batch contains any. An append merges them
   * field by field; a replace replaces all fields.
   */
  readonly metadata: JsonObject;
  /** 0 if the conversation doesn't exist. */
  readonly expectedVersion?: number;
  /** 0 if the conversation doesn't exist. */
  readonly expectedMetadataVersion?: number;
  /**
   * `present`: the conversation must exist with this incarnation. `absent`: it must not exist. In the same step as the
   * creation, compare the expected tombstones by `isErasedSince` with those under `tombstoneKey("conversation", id)`
   * and `tombstoneKey("user", userId)` (`null` without `userId`).
   */
  readonly expectedIncarnation?: ExpectedIncarnation;
  /** Absent: a missing conversation is not created, and the outcome is `"missing"`. */
  readonly create?: {
    /** The random incarnation of the new conversation. */
    readonly incarnation: string;
  };
  /** The number of messages to drop from the end first, at least 1. Only in an append. */
  readonly dropLast?: number;
  readonly idempotency?: {
    readonly key: string;
    /** SHA-256 of the whole write, hex. */
    readonly bodyHash: string;
  };
  readonly maxMessages?: number;
  readonly ttlSeconds?: number;
  /**
   * The turn that begins with the write, for a backend that is a `TurnBeginner` and has accepted it. If either is refused,
   * neither happens.
   */
  readonly beginsTurn?: TurnBeginning;
  /** The initial values of an imported conversation, which must not exist yet. Only in a replace. */
  readonly source?: ConversationSource;
}

/** The values that an imported conversation takes over from its source. */
export interface ConversationSource {
  readonly createdAt: Date;
  readonly lastActivity: Date;
  readonly version: number;
  readonly metadataVersion: number;
  /** The position of the first message. */
  readonly firstPosition: number;
  readonly traceIds: readonly string[];
}

/** The conflicts that a store can report. */
export type WriteConflictReason = Exclude<MemoryConflictReason, "lease">;

/** The outcome of a {@link ConversationWrite}. */
export type WriteOutcome =
  /**
   * Without `receipt`, runs read more often, because they know neither the digest nor which messages the store dropped.
   */
  | { readonly status: "written"; readonly receipt?: WriteReceipt }
  /** The same write was already made under this key. Nothing changed. */
  | { readonly status: "replayed" }
  /** The conversation doesn't exist, and `create` is absent. */
  | { readonly status: "missing" }
  /** The turn of `beginsTurn` can't begin, or the write was already made under this key. Nothing changed. */
  | { readonly status: "turn" }
  | {
      readonly status: "conflict";
      readonly reason: WriteConflictReason;
      /** With `"version"` and `"metadata-version"`. */
      readonly actualVersion?: number;
    };

/** The minimum number of later writes to the same conversation for which an idempotency key is kept. */
export const IDEMPOTENCY_WINDOW = 1_000;

/** A checked read of one conversation. */
export interface ReadRequest {
  readonly conversationId: string;
  readonly messages: StoredSelection;
  /**
   * The conversation of another user, or without a user, counts as missing. `defineMemoryProvider` ensures this; a backend
   * that checks it, too, doesn't read messages in vain.
   */
  readonly owner?: string;
  /** The idempotency key of the receipt to return. */
  readonly receiptFor?: string;
  /**
   * Present: return the tombstones if the conversation doesn't exist, including that of the user `userId`, if given.
   */
  readonly tombstones?: { readonly userId?: string };
  /** Whether to return the fields for an export. */
  readonly forExport?: boolean;
  /** Whether to return `readAt`. */
  readonly asksTime?: boolean;
}

/** A checked `MessageSelection`. `"last"` and `"range"` have a `limit` of at least 1. */
export type StoredSelection =
  | { readonly kind: "all" }
  | { readonly kind: "none" }
  | { readonly kind: "last"; readonly limit: number }
  | {
      readonly kind: "range";
      /** Positions, both exclusive. */
      readonly after?: number;
      readonly before?: number;
      /** Counts from `after`, if given, otherwise from the end. */
      readonly limit?: number;
    }
  | { readonly kind: "message"; readonly messageId: string };

/** The result of a {@link ReadRequest}: the conversation, or `null` if it doesn't exist. */
export type ReadOutcome = ReadContent & {
  /**
   * With `asksTime`: the time of the read by the store's clock, not this process's. Present even if the conversation
   * doesn't exist.
   */
  readonly readAt?: Date;
};

type ReadContent =
  | {
      /** Contains only the selected messages. */
      readonly conversation: StoredConversation;
      /** The position of the first selected message, or `nextPosition` if none is selected. */
      readonly firstPosition: number;
      /** The position after the last message, right after the write of `receiptFor`. Absent if the key is not kept. */
      readonly receipt?: { readonly nextPosition: number };
      /** Present with `forExport`. */
      readonly forExport?: {
        readonly traceIds: readonly string[];
        readonly ttlSeconds?: number;
        /** In the order of the messages. */
        readonly messageIds: readonly (string | null)[];
      };
    }
  | {
      readonly conversation: null;
      /** Present if they were requested. */
      readonly tombstones?: Tombstones;
    };

/** The body as it was written. Backends that keep objects return the message from `decodeMessage`. */
export type StoredMessage = string | Message;

/** A conversation as a backend returns it. */
export interface StoredConversation {
  readonly conversationId: string;
  readonly userId?: string;
  /** In the order of their positions. Empty if the query selected none. */
  readonly messages: readonly StoredMessage[];
  readonly metadata: JsonObject;
  readonly createdAt: Date;
  readonly lastActivity: Date;
  /** The number of stored messages. */
  readonly totalMessages: number;
  /**
   * 1 after the creation. Increases by one with each write that adds, drops or trims messages, and with each
   * replacement. Doesn't increase if all messages of a write are skipped because they are already stored.
   */
  readonly version: number;
  /** Increases by one with each write with non-empty `metadata` and with each replacement, including the creation. */
  readonly metadataVersion: number;
  /** The position of the next message. The stored messages take the positions before it without gaps. */
  readonly nextPosition: number;
  readonly incarnation: string;
  /** See {@link HistoryReader}. Absent if no message has a digest. */
  readonly historyDigest?: string;
}

/** A checked {@link MemoryQuery}. Newest activity first; ties in any fixed order that the cursor follows. */
export interface ConversationQuery {
  readonly conversationId?: string;
  readonly userId?: string;
  /** Only conversations that this trace wrote to. */
  readonly traceId?: string;
  /** Last activity at or after this time. */
  readonly since?: Date;
  /** Last activity at or before this time. */
  readonly until?: Date;
  /** At least 1. Default: all. */
  readonly limit?: number;
  /** The number of conversations to skip. */
  readonly offset: number;
  /** Only conversations after this position. */
  readonly cursor?: ConversationPosition;
  readonly includeMessages: boolean;
}

/** A position in a listing: right after this conversation. */
export interface ConversationPosition {
  readonly lastActivity: Date;
  readonly conversationId: string;
}

/** How long a tombstone is kept. */
export const TOMBSTONE_SECONDS = 24 * 60 * 60;

/**
 * The tombstones of a deleted conversation and a cleared user: random ids. `null` if nothing was erased in the last 24
 * hours.
 */
export interface Tombstones {
  readonly conversation: string | null;
  /** The tombstone of the user for whom the conversation would be created. `null` if no user was given. */
  readonly user: string | null;
}

/** The incarnation that a write expects. */
export type ExpectedIncarnation =
  | { readonly present: string }
  /** The conversation doesn't exist, and nothing was erased since these tombstones were read. */
  | { readonly absent: Tombstones };

/**
 * The key of a tombstone: a SHA-256 hash (base64url, 43 characters), because tombstones outlive the data that they
 * stand for.
 */
export const tombstoneKey = (kind: "conversation" | "user", id: string): string =>
  sha256(`${kind}\0${id}`, "base64url");

const ABSENT = /^none:([\w-]{0,64}):([\w-]{0,64})$/;

export const absentIncarnation = ({ conversation, user }: Tombstones): string =>
  `none:${conversation ?? ""}:${user ?? ""}`;

/** Returns `undefined` for a text that no read returns. */
export function parseIncarnation(incarnation: string): ExpectedIncarnation | undefined {
  if (!incarnation.startsWith("none:")) return { present: incarnation };
  const [, conversation, user] = ABSENT.exec(incarnation) ?? [];
  if (conversation === undefined || user === undefined) return undefined;
  return { absent: { conversation: conversation || null, user: user || null } };
}

/**
 * Whether the conversation, or all conversations of its user, were erased between two readings of the tombstones:
 * `seen` and the later `now`. A tombstone that is only in `seen` has expired; that is no erasure, because a new erasure
 * always creates a new tombstone. Compare within 24 hours, before tombstones expire (`TOMBSTONE_SECONDS`).
 */
export const isErasedSince = (seen: Tombstones, now: Tombstones): boolean =>
  (now.conversation !== null && now.conversation !== seen.conversation) ||
  (now.user !== null && now.user !== seen.user);

/** The hash of a store's history digests. Redis scripts only support SHA-1. */
export type DigestAlgorithm = "sha1" | "sha256";

/**
 * Returns the SHA-256 of a message's body as stored, hex. The writer computes it, so a store's script has little to
 * hash.
 */
export const messageHash = (body: string): string => sha256(body, "hex");

/**
 * Returns the digest of a history after one more message, hex. `previous` is the digest before the message. For the
 * first message it is the incarnation, so two conversations never share a digest.
 */
export const nextDigest = (algorithm: DigestAlgorithm, previous: string, messageHashHex: string): string =>
  (algorithm === "sha1" ? sha1 : sha256)(previous + messageHashHex, "hex");

/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };
