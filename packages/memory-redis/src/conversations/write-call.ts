import { randomUUID } from "node:crypto";
import type { ParentConversation, WriteReceipt } from "@jaf/memory";
import type {
  ConversationSource,
  ConversationWrite,
  EncodedMessage,
  ExpectedIncarnation,
  Tombstones,
  WriteOutcome,
} from "@jaf/memory/adapter";
import { type Keys, unescapeId } from "../keys.ts";
import { list, number, text, UnexpectedReply } from "../lua.ts";
import { encodeField } from "./head.ts";
import { DamagedConversation } from "./read.ts";

/** How many hex digits of the hash of a message's content are stored. */
// 128 bits are enough to tell contents apart, and each conversation keeps about a thousand such hashes.
const HASH_LENGTH = 32;

/** The argument of the script `write`, without the fields that say how to update the indexes. */
export type WriteArguments = Record<string, unknown>;

export interface WriteArgumentsOptions {
  readonly keys: Keys;
  /** Whether each conversation is on the same server as its indexes. */
  readonly atomic: boolean;
  /** Whether the client may send a command a second time after it has lost the connection. */
  readonly mayResend: boolean;
  /** The default ttl of conversations, in seconds. Absent: no expiry. */
  readonly ttl?: number | undefined;
  /** Whether the write waits until replicas have it. */
  readonly waits: boolean;
}

/** Returns the ids of the traces that a write adds to its conversation. */
export const tracesOf = ({ traceId, source }: ConversationWrite): readonly string[] => [
  ...new Set([...(traceId === undefined ? [] : [traceId]), ...(source?.traceIds ?? [])]),
];

/**
 * Returns two texts for each message: its own id (given by its writer) and the hash of its content. Both are `""` for a
 * message without an own id. Returns `undefined` if no message has an own id.
 */
function ownIds(messages: readonly EncodedMessage[]): readonly string[] | undefined {
  if (messages.every(({ own }) => own === undefined)) return undefined;
  return messages.flatMap(({ own }) =>
    own === undefined ? ["", ""] : [own.id, own.hash.slice(0, HASH_LENGTH)],
  );
}

const sourceInput = (write: ConversationWrite, source: ConversationSource) => ({
  createdAt: source.createdAt.getTime(),
  lastActivity: source.lastActivity.getTime(),
  version: source.version,
  metadataVersion: source.metadataVersion,
  firstPosition: source.firstPosition,
  traceIds: tracesOf(write),
});

/**
 * Returns a function that converts a write into the argument of the script `write`. The fields that say how to update
 * the indexes are missing.
 */
export function createWriteArguments({ keys, atomic, mayResend, ttl, waits }: WriteArgumentsOptions) {
  // A caller's key never begins with NUL.
  // The argument is kept short, because the script has to parse it.
  const ownKey = () => (mayResend ? { key: `\0${randomUUID()}`, bodyHash: "-" } : undefined);

  function absence(write: ConversationWrite, expected: Tombstones) {
    const { conversationId, userId } = write;
    return {
      conversation: expected.conversation ?? "",
      user: expected.user ?? "",
      key: keys.conversationTombstone(conversationId),
      ...(atomic && userId !== undefined ? { userKey: keys.userTombstone(userId) } : {}),
    };
  }

  function addExpectedIncarnation(
    given: WriteArguments,
    write: ConversationWrite,
    expected: ExpectedIncarnation,
  ): void {
    if ("present" in expected) {
      given["present"] = expected.present;
      return;
    }
    given["absent"] = absence(write, expected.absent);
  }

  /**
   * Returns the keys of the import markers (see `markImport`) of all indexes to which an import adds its conversation.
   */
  const markers = (write: ConversationWrite): readonly string[] => {
    const { conversationId, userId, childOf } = write;
    const indexes = [
      keys.listOf(conversationId, childOf?.conversationId),
      ...(userId === undefined ? [] : [keys.userIndex(userId)]),
      ...(childOf === undefined ? tracesOf(write).map(keys.traceIndex) : []),
    ];
    return [...new Set(indexes.map(keys.importMarker))];
  };

  const parent = (conversationId: string, { conversationId: parentId, incarnation }: ParentConversation) => ({
    id: keys.escapeId(parentId),
    incarnation,
    ...(atomic ? {} : { tombstone: keys.conversationTombstone(conversationId) }),
  });

  return (write: ConversationWrite): WriteArguments => {
    const { mode, conversationId, userId, traceId, messages, metadata, create, dropLast, source } = write;
    const idempotency = write.idempotency ?? ownKey();
    const fields = Object.entries(metadata);
    const ids = ownIds(messages);
    const given: WriteArguments = { prefix: keys.prefix, mode, id: conversationId };
    if (userId !== undefined) given["user"] = userId;
    if (traceId !== undefined) given["trace"] = traceId;
    if (create !== undefined) given["create"] = create.incarnation;
    if (write.childOf !== undefined) given["childOf"] = parent(conversationId, write.childOf);
    if (write.expectedIncarnation !== undefined)
      addExpectedIncarnation(given, write, write.expectedIncarnation);
    if (write.expectedVersion !== undefined) given["version"] = write.expectedVersion;
    if (write.expectedMetadataVersion !== undefined) given["metadataVersion"] = write.expectedMetadataVersion;
    if (dropLast !== undefined) given["drop"] = dropLast;
    if (ids !== undefined) given["ids"] = ids;
    if (write.maxMessages !== undefined) given["max"] = write.maxMessages;
    if (write.ttlSeconds !== undefined) given["ttl"] = write.ttlSeconds;
    if (ttl !== undefined) given["newTtl"] = ttl;
    if (waits) given["wait"] = true;
    if (atomic) given["recent"] = keys.recencyIndex(conversationId);
    if (source !== undefined) given["source"] = sourceInput(write, source);
    if (source !== undefined && atomic) given["markers"] = markers(write);
    if (idempotency !== undefined) {
      given["key"] = idempotency.key;
      given["hash"] = idempotency.bodyHash.slice(0, HASH_LENGTH);
    }
    if (fields.length > 0) {
      given["metadata"] = fields.flatMap(([field, value]) => [encodeField(field), JSON.stringify(value)]);
    }
    return given;
  };
}

/** The parsed reply of the script `write`. */
export interface WriteReply {
  readonly status: string;
  /** The conversation's version. If `status` is `metadata-version`, the metadata version. */
  readonly version: number;
  readonly lastActivityMs: number;
  /** Whether the conversation didn't exist before the write. */
  readonly absent: boolean;
  readonly userId: string | undefined;
  /** The conversation's ttl in milliseconds. 0: no expiry. */
  readonly ttlMs: number;
  /**
   * Only if `status` is `reserve`: whether the ttl of the conversation's indexes must be extended for `ttlMs` before
   * the next attempt.
   */
  readonly keep: boolean;
  readonly nowMs: number;
  /** The id of the parent. `undefined`: the conversation isn't a child, and the write doesn't create one. */
  readonly childOf: string | undefined;
  /** Only if `status` is `reserve`: content of the tombstone of a new child. `""`: there is no tombstone. */
  readonly gone: string;
  /** Only if `status` is `reserve` and `keep` is true. */
  readonly traceIds: readonly string[];
  /** The receipt of the write. Absent: `status` isn't `written`. */
  readonly receipt?: WriteReceipt;
}

function parseReceipt(reply: unknown): WriteReceipt {
  const [version, nextPosition, totalMessages, historyDigest] = text(reply).split(" ");
  return {
    nextPosition: Number(nextPosition),
    totalMessages: Number(totalMessages),
    version: Number(version),
    ...(historyDigest ? { historyDigest } : {}),
  };
}

export function parseReply(reply: unknown): WriteReply {
  const [status, version, lastActivity, absent, owner, ttlMs, keep, now, parent, ...rest] = list(reply);
  const isWritten = text(status) === "written";
  const [gone = "", ...traceIds] = isWritten ? [] : rest.map(text);
  return {
    status: text(status),
    version: number(version),
    lastActivityMs: number(lastActivity),
    absent: number(absent) === 1,
    userId: text(owner) || undefined,
    ttlMs: number(ttlMs),
    keep: number(keep) === 1,
    nowMs: number(now),
    childOf: unescapeId(text(parent)) || undefined,
    ...{ gone, traceIds },
    ...(isWritten ? { receipt: parseReceipt(rest[0]) } : {}),
  };
}

export function toOutcome({ status, version, receipt }: WriteReply): WriteOutcome {
  switch (status) {
    case "written":
      return receipt === undefined ? { status } : { status, receipt };
    case "replayed":
    case "missing":
    case "turn":
      return { status };
    case "version":
    case "metadata-version":
      return { status: "conflict", reason: status, actualVersion: version };
    case "owner":
    case "idempotency-key":
    case "incarnation":
    case "length":
    case "message-id":
      return { status: "conflict", reason: status };
    case "damaged":
      throw new DamagedConversation("a part of the conversation is gone");
    default:
      throw new UnexpectedReply("unknown outcome of a write");
  }
}
