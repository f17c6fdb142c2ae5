import { selectedBounds } from "../codec/read.ts";
import type {
  ConversationQuery,
  ConversationWrite,
  EncodedMessage,
  HistoryRequest,
  JsonObject,
  ReadOutcome,
  StoredConversation,
  StoredHistory,
  StoredMessage,
  StoredSelection,
} from "../contract/backend.ts";
import type { MemoryStats } from "../contract/provider.ts";
import { present } from "../runtime/objects.ts";

export const DIGESTS = "sha256";

interface EntryMessage {
  readonly stored: StoredMessage;
  /** The digest of the history up to this message, hex. */
  readonly digest: string;
  readonly isToolResult: boolean;
  readonly own: EncodedMessage["own"];
}

/** Converts a message's body into the form that is kept in memory: the JSON text itself, or the decoded message. */
export type StoreBody = (body: string, index: number) => StoredMessage;

// A write changes an `Entry` without copying it, so the cost of an append only depends on the size of its batch. A
// write never awaits, so no other task sees a half-done write.
/** A conversation in this process's memory. Writes change this object, and readers get copies. */
export interface Entry {
  readonly conversationId: string;
  readonly incarnation: string;
  readonly createdAt: Date;
  readonly messages: EntryMessage[];
  readonly traceIds: Set<string>;
  /** The idempotency keys of the latest writes, oldest first. */
  readonly keys: Map<string, KeyRecord>;
  /** The ids that writes gave messages in `WriteOptions.messageIds`, each with the message's hash and position. */
  readonly ownIds: Map<string, { readonly hash: string; readonly position: number }>;
  /** The id of the parent; `undefined`: the conversation isn't a child. */
  readonly childOf: string | undefined;
  userId: string | undefined;
  metadata: JsonObject;
  lastActivity: Date;
  version: number;
  metadataVersion: number;
  nextPosition: number;
  /** The digest before the first stored message. In a new conversation, it is the incarnation. */
  base: string;
  ttlSeconds: number | undefined;
  writes: number;
}

interface KeyRecord {
  readonly bodyHash: string;
  readonly write: number;
  readonly nextPosition: number;
}

/** Creates the entry of a new conversation, without the data of its first write. */
export function createEntry(
  { conversationId, source, childOf }: Pick<ConversationWrite, "conversationId" | "source" | "childOf">,
  incarnation: string,
  now: Date,
): Entry {
  return {
    conversationId,
    incarnation,
    createdAt: source?.createdAt ?? now,
    messages: [],
    traceIds: new Set(source?.traceIds),
    keys: new Map(),
    ownIds: new Map(),
    childOf: childOf?.conversationId,
    userId: undefined,
    metadata: {},
    lastActivity: now,
    version: 0,
    metadataVersion: 0,
    nextPosition: source?.firstPosition ?? 0,
    base: incarnation,
    ttlSeconds: undefined,
    writes: 0,
  };
}

/** Returns the time at which the conversation expires, in ms since 1970. `Infinity` if it never expires. */
export const expiryTime = ({ ttlSeconds, lastActivity }: Entry): number =>
  ttlSeconds === undefined ? Number.POSITIVE_INFINITY : lastActivity.getTime() + ttlSeconds * 1_000;

export const isExpired = (entry: Entry, now: number): boolean => now >= expiryTime(entry);

/** Returns the digest of the conversation's history, hex. */
export const digestOf = ({ messages, base }: Entry): string => messages.at(-1)?.digest ?? base;

const boundsOf = ({ messages, nextPosition, ownIds }: Entry, selection: StoredSelection) =>
  selectedBounds(selection, {
    totalMessages: messages.length,
    nextPosition,
    positionOf: (messageId) => ownIds.get(messageId)?.position,
  });

const NO_MESSAGES = { kind: "none" } as const;
const ALL_MESSAGES = { kind: "all" } as const;

function toStored(entry: Entry, selection: StoredSelection): StoredConversation {
  const { conversationId, userId, childOf, metadata, createdAt, lastActivity, messages } = entry;
  const { version, metadataVersion, nextPosition, incarnation } = entry;
  return {
    conversationId,
    ...present({ userId, childOf }),
    messages: messages.slice(...boundsOf(entry, selection)).map(({ stored }) => stored),
    metadata,
    createdAt,
    lastActivity,
    totalMessages: messages.length,
    version,
    metadataVersion,
    nextPosition,
    incarnation,
    historyDigest: digestOf(entry),
  };
}

export function toHistory(entry: Entry, { from, limit }: HistoryRequest): StoredHistory {
  const { messages, nextPosition, base } = entry;
  const firstPosition = nextPosition - messages.length;
  const first = Math.max(0, from - firstPosition);
  return {
    firstPosition,
    nextPosition,
    base,
    historyDigest: digestOf(entry),
    messages: messages.slice(first, first + limit).map(({ stored, digest }) => ({ body: stored, digest })),
  };
}

export const toListed = (entry: Entry, includeMessages: boolean): StoredConversation =>
  toStored(entry, includeMessages ? ALL_MESSAGES : NO_MESSAGES);

/** Returns the outcome of a read of an existing conversation. */
export function toRead(
  entry: Entry,
  selection: StoredSelection,
  { receiptFor, forExport }: { readonly receiptFor?: string; readonly forExport?: boolean },
): Extract<ReadOutcome, { readonly conversation: StoredConversation }> {
  const [from, end] = boundsOf(entry, selection);
  const { messages, nextPosition, keys, traceIds, ttlSeconds } = entry;
  const receipt = receiptFor === undefined ? undefined : keys.get(receiptFor);
  return {
    conversation: toStored(entry, selection),
    firstPosition: from === end ? nextPosition : nextPosition - messages.length + from,
    ...(receipt === undefined ? {} : { receipt: { nextPosition: receipt.nextPosition } }),
    ...(forExport !== true
      ? {}
      : {
          forExport: {
            traceIds: [...traceIds],
            ...present({ ttlSeconds }),
            messageIds: messages.slice(from, end).map(({ own }) => own?.id ?? null),
          },
        }),
  };
}

interface Listed {
  readonly conversationId: string;
  readonly userId: string | undefined;
  readonly lastActivity: Date;
  readonly traceIds: ReadonlySet<string>;
}

/** Returns the conversations that match the query, in the query's order. Ignores the query's `conversationId`. */
export function selectConversations<T extends Listed>(
  conversations: readonly T[],
  query: ConversationQuery,
): readonly T[] {
  // The caller has already applied the `conversationId`.
  const end = query.limit === undefined ? undefined : query.offset + query.limit;
  return conversations
    .filter((conversation) => matches(conversation, query))
    .sort(byActivity)
    .slice(query.offset, end);
}

function matches(listed: Listed, { traceId, userId, since, until, cursor }: ConversationQuery): boolean {
  const { lastActivity, conversationId } = listed;
  return (
    (userId === undefined || listed.userId === userId) &&
    (traceId === undefined || listed.traceIds.has(traceId)) &&
    (since === undefined || lastActivity >= since) &&
    (until === undefined || lastActivity <= until) &&
    (cursor === undefined ||
      lastActivity < cursor.lastActivity ||
      (lastActivity.getTime() === cursor.lastActivity.getTime() && conversationId < cursor.conversationId))
  );
}

const byActivity = (a: Listed, b: Listed): number =>
  b.lastActivity.getTime() - a.lastActivity.getTime() || (a.conversationId < b.conversationId ? 1 : -1);

export function statsOf(
  counted: readonly Pick<StoredConversation, "createdAt" | "totalMessages">[],
): MemoryStats {
  const all = counted.map(({ createdAt }) => createdAt.getTime());
  // A time of 0 (in ms since 1970) stands for an unknown time.
  const times = all.filter((time) => time > 0).sort((a, b) => a - b);
  const [oldest] = times;
  const newest = times.at(-1);
  return {
    totalConversations: counted.length,
    totalMessages: counted.reduce((sum, { totalMessages }) => sum + totalMessages, 0),
    ...(oldest === undefined ? {} : { oldestConversation: new Date(oldest) }),
    ...(newest === undefined ? {} : { newestConversation: new Date(newest) }),
  };
}
