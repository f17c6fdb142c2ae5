import { sha1, sha256 } from "#digest";
import type { MemoryConflictReason, MemoryErrorUnion } from "./errors.ts";
import type { Message } from "./message.ts";
import type { MemoryStats } from "./provider.ts";
import type { WriteReceipt } from "./versioned-provider.ts";

/**
 * The storage port: what a backend has to do, with input that is already validated and encoded. `defineMemoryProvider`
 * makes a {@link VersionedMemoryProvider} of it, so that a backend is only I/O. A wrapper is a function from one backend to
 * another.
 *
 * Methods throw what their driver throws; `toMemoryError` translates it in one place.
 */
export interface MemoryBackend {
  /** The name in errors and health reports, e.g. `"postgres"`. */
  readonly name: string;
  readonly write: (write: ConversationWrite) => Promise<WriteOutcome>;
  /** A consistent snapshot. Costs in proportion to the selected messages. */
  readonly read: (request: ReadRequest) => Promise<ReadOutcome>;
  /** Absent: the store keeps no digests, and can't detect changes made by others. */
  readonly history?: HistoryReader;
  /** `limit` is at least 1. */
  readonly find: (query: ConversationQuery) => Promise<readonly StoredConversation[]>;
  /**
   * Returns whether there was one. In either case creates a tombstone of the conversation for `TOMBSTONE_SECONDS`: a random
   * id under `tombstoneKey("conversation", id)`. In one step with the deletion, so that a concurrent creation either comes
   * before both, and is deleted, or sees the tombstone.
   */
  readonly delete: (conversationId: string) => Promise<boolean>;
  /**
   * Returns how many conversations there were. First creates a tombstone of the user, then deletes each conversation as
   * `delete` does. A conversation of this user that is created meanwhile is deleted, or its creation sees a tombstone.
   */
  readonly clearUser: (userId: string) => Promise<number>;
  readonly stats: (userId?: string) => Promise<MemoryStats>;
  /** One round trip to the store; throws if it is out of reach. */
  readonly ping: () => Promise<void>;
  /** Called once. Closes only what the backend itself opened. */
  readonly close: () => Promise<void>;
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Reads messages with their digests, which a store makes in the step that writes them: of each message
 * `nextDigest(algorithm, previous, messageHash(body))`, of which the last is the conversation's `historyDigest`. Where
 * messages are dropped from the end, the digest of the last that stays takes its place. Where they are trimmed or replaced,
 * the last digest of what is gone is kept as `base`, which is the incarnation at first.
 */
export interface HistoryReader {
  readonly algorithm: DigestAlgorithm;
  /** A consistent snapshot of whatever is stored: missing or additional messages, or none at all, are no failure. */
  readonly read: (request: HistoryRequest) => Promise<StoredHistory | null>;
}

export interface HistoryRequest {
  readonly conversationId: string;
  /** The position to read from, or from the first that is stored. */
  readonly from: number;
  /** At most this many, from 1. Includes messages beyond the last one that the store counts. */
  readonly limit: number;
}

export interface StoredHistory {
  /** The position of the first message that is stored, by the store's own count. */
  readonly firstPosition: number;
  readonly nextPosition: number;
  /** The digest before the first message. */
  readonly base: string;
  /** Absent where no message has a digest. */
  readonly historyDigest?: string;
  /** Those asked for, in their order. `digest`: `null` for what was written before digests were kept. */
  readonly messages: readonly { readonly body: StoredMessage; readonly digest: string | null }[];
}

/** A message as stored. */
export interface EncodedMessage {
  /** JSON text without NUL, line breaks or unpaired surrogates: all three are escaped. Keep it as text. */
  readonly body: string;
  /** Whether it is a tool result: a trim must not leave one at the start of the conversation. */
  readonly isToolResult: boolean;
  /** Absent: it has none. */
  readonly own?: OwnMessageId;
}

/** A message's own id, unique in its conversation. */
export interface OwnMessageId {
  readonly id: string;
  /** SHA-256 of the message, hex. Store it with the id, to compare a later message with the same id. */
  readonly hash: string;
}

/**
 * One write, to be done in one atomic step and in this order: expiry, owner, idempotency, incarnation, version, metadata
 * version, existence, length, message ids, write, trim.
 */
export interface ConversationWrite {
  readonly mode: "append" | "replace";
  readonly conversationId: string;
  readonly messages: readonly EncodedMessage[];
  /** The owner to set if there is none yet; another owner is a conflict. */
  readonly userId?: string;
  readonly traceId?: string;
  /**
   * The fields to store, including `traceId`, and `systemContent` if the batch contains any. An append merges them
   * field by field, a replace replaces all.
   */
  readonly metadata: JsonObject;
  /** 0 where there is none. */
  readonly expectedVersion?: number;
  /** 0 where there is none. */
  readonly expectedMetadataVersion?: number;
  /**
   * `present`: the conversation must exist with this incarnation. `absent`: it must not exist; compare by `isErasedSince`
   * with what is under `tombstoneKey("conversation", id)` and, where `userId` is given, `tombstoneKey("user", userId)`
   * (else `null`), in the same step as the creation.
   */
  readonly expectedIncarnation?: ExpectedIncarnation;
  /** Absent: a conversation that isn't there is `"missing"`. */
  readonly create?: {
    /** The identity that it gets, random. */
    readonly incarnation: string;
  };
  /** How many messages to drop from the end first, at least 1. Only in an append. */
  readonly dropLast?: number;
  readonly idempotency?: {
    readonly key: string;
    /** SHA-256 of the whole write, hex. */
    readonly bodyHash: string;
  };
  readonly maxMessages?: number;
  readonly ttlSeconds?: number;
  /** The start values of an imported conversation, which must not exist yet. Only in a replace. */
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

export type WriteOutcome =
  /** Without `receipt`, runs read more often, since they don't know what the store has dropped, nor the digest. */
  | { readonly status: "written"; readonly receipt?: WriteReceipt }
  /** The same key and body was written before: nothing changed. */
  | { readonly status: "replayed" }
  /** There is no such conversation, and `create` is absent. */
  | { readonly status: "missing" }
  | {
      readonly status: "conflict";
      readonly reason: WriteConflictReason;
      /** With `"version"` and `"metadata-version"`. */
      readonly actualVersion?: number;
    };

/** The minimum number of later writes to the same conversation for which an idempotency key is kept. */
export const IDEMPOTENCY_WINDOW = 1_000;

export interface ReadRequest {
  readonly conversationId: string;
  readonly messages: StoredSelection;
  /** An idempotency key whose receipt is asked for. */
  readonly receiptFor?: string;
  /** Present: return the tombstones if there is no conversation, with that of the user `userId` if it is given. */
  readonly tombstones?: { readonly userId?: string };
  /** Whether to return what only an export needs. */
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
      /** Counts from `after` if there is one, else from the end. */
      readonly limit?: number;
    }
  | { readonly kind: "message"; readonly messageId: string };

export type ReadOutcome = ReadContent & {
  /** With `asksTime`: when it was read, by the store's clock and not this process's, even if there is no conversation. */
  readonly readAt?: Date;
};

type ReadContent =
  | {
      /** With only the selected messages. */
      readonly conversation: StoredConversation;
      /** The position of the first selected message; `nextPosition` where none is. */
      readonly firstPosition: number;
      /** The position after the last message, right after the write of `receiptFor`, if its key is kept. */
      readonly receipt?: { readonly nextPosition: number };
      /** With `forExport`. */
      readonly forExport?: {
        readonly traceIds: readonly string[];
        readonly ttlSeconds?: number;
        /** In the order of the messages. */
        readonly messageIds: readonly (string | null)[];
      };
    }
  | {
      readonly conversation: null;
      /** If they were asked for. */
      readonly tombstones?: Tombstones;
    };

/** The body as it was written, or, from a backend that keeps objects, the message that `decodeMessage` made of it. */
export type StoredMessage = string | Message;

export interface StoredConversation {
  readonly conversationId: string;
  readonly userId?: string;
  /** In the order of their positions; empty if the query asked for none. */
  readonly messages: readonly StoredMessage[];
  readonly metadata: JsonObject;
  readonly createdAt: Date;
  readonly lastActivity: Date;
  /** How many are stored. */
  readonly totalMessages: number;
  /**
   * Rises by one with each write that adds, drops or trims messages, with each replacement, and is 1 after the creation.
   * Not with a write all of whose messages are skipped as they are stored already.
   */
  readonly version: number;
  /** Rises by one with each write whose `metadata` isn't empty, and with each replacement, also at the creation. */
  readonly metadataVersion: number;
  /** The position that the next message will have. Messages take the positions before it without a gap. */
  readonly nextPosition: number;
  readonly incarnation: string;
  /** See {@link HistoryReader}. Absent where no message has a digest. */
  readonly historyDigest?: string;
}

/** A checked {@link MemoryQuery}. Newest activity first, ties in any fixed order that the cursor follows. */
export interface ConversationQuery {
  readonly conversationId?: string;
  readonly userId?: string;
  readonly traceId?: string;
  readonly since?: Date;
  readonly until?: Date;
  /** At least 1; absent: all. */
  readonly limit?: number;
  readonly offset: number;
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
 * The ids of the tombstones that deleting a conversation and clearing a user create. Random; `null`: nothing was erased in
 * the last 24 hours.
 */
export interface Tombstones {
  readonly conversation: string | null;
  /** Of the user for whom the conversation would be created; also `null` if no user was given. */
  readonly user: string | null;
}

/** Which incarnation of a conversation a write expects. */
export type ExpectedIncarnation =
  | { readonly present: string }
  /** It doesn't exist, and nothing was erased since these tombstones were read. */
  | { readonly absent: Tombstones };

/**
 * The key of a tombstone: a SHA-256 hash (base64url, 43 characters), as it is kept longer than the data that it was created
 * for.
 */
export const tombstoneKey = (kind: "conversation" | "user", id: string): string =>
  sha256(`${kind}\0${id}`, "base64url");

const ABSENT = /^none:([\w-]{0,64}):([\w-]{0,64})$/;

export const absentIncarnation = ({ conversation, user }: Tombstones): string =>
  `none:${conversation ?? ""}:${user ?? ""}`;

/** `undefined` for a text that no read returns. */
export function parseIncarnation(incarnation: string): ExpectedIncarnation | undefined {
  if (!incarnation.startsWith("none:")) return { present: incarnation };
  const [, conversation, user] = ABSENT.exec(incarnation) ?? [];
  if (conversation === undefined || user === undefined) return undefined;
  return { absent: { conversation: conversation || null, user: user || null } };
}

/**
 * Whether the conversation, or all of its user's, was erased between two readings of the tombstones: `seen` and the later
 * `now`. A tombstone that is only in `seen` has expired, which is no erasure, because a new erasure always creates a new
 * tombstone. Compare within 24 hours: tombstones expire then (`TOMBSTONE_SECONDS`).
 */
export const isErasedSince = (seen: Tombstones, now: Tombstones): boolean =>
  (now.conversation !== null && now.conversation !== seen.conversation) ||
  (now.user !== null && now.user !== seen.user);

/** What a store makes the digests of its histories with: Redis' scripts offer SHA-1 alone. */
export type DigestAlgorithm = "sha1" | "sha256";

/** SHA-256 of a message's body as it is stored, hex: made by the writer, so that a store's script has little to hash. */
export const messageHash = (body: string): string => sha256(body, "hex");

/**
 * The digest of a history that one more message was added to, hex. `previous` is the digest before it; of a conversation
 * without any, its incarnation, so that no digest of one conversation is one of another.
 */
export const nextDigest = (algorithm: DigestAlgorithm, previous: string, messageHashHex: string): string =>
  (algorithm === "sha1" ? sha1 : sha256)(previous + messageHashHex, "hex");

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export type JsonObject = { readonly [key: string]: JsonValue };
