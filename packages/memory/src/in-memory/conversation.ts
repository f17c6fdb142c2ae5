import { type ConversationWrite, type EncodedMessage, type HistoryRequest, IDEMPOTENCY_WINDOW, type ReadOutcome, type StoredConversation, type StoredHistory, type StoredMessage, type StoredSelection, type WriteOutcome, messageHash, nextDigest, isErasedSince, type Tombstones, type ConversationQuery } from "../contract/backend.ts";
import { selectedBounds } from "../codec/read.ts";
import type { JsonObject } from "../codec/json.ts";
import { present } from "../runtime/objects.ts";
import { trimStart } from "./write.ts";
import type { MemoryStats } from "../contract/provider.ts";

export const DIGESTS = "sha256";

interface EntryMessage {
  readonly stored: StoredMessage;
  /** Of the history down to this message. */
  readonly digest: string;
  readonly isToolResult: boolean;
  readonly own: EncodedMessage["own"];
}

/** What is kept of a message's body: the text, or the message decoded from it. */
export type KeepBody = (body: string, index: number) => StoredMessage;

/**
 * A conversation in this process's memory. Writes change it in place, in one synchronous step, so that an append
 * costs what its batch costs; readers get copies.
 */
export interface Entry {
  readonly conversationId: string;
  readonly incarnation: string;
  readonly createdAt: Date;
  readonly messages: EntryMessage[];
  readonly traceIds: Set<string>;
  /** By idempotency key, oldest first. */
  readonly keys: Map<string, KeyRecord>;
  /** By the messages' own ids. */
  readonly ownIds: Map<string, { readonly hash: string; readonly position: number }>;
  userId: string | undefined;
  metadata: JsonObject;
  lastActivity: Date;
  version: number;
  metadataVersion: number;
  nextPosition: number;
  /** The digest before the first message. */
  base: string;
  ttlSeconds: number | undefined;
  writes: number;
}

interface KeyRecord {
  readonly bodyHash: string;
  readonly write: number;
  readonly nextPosition: number;
}

/** Its first write is still to come. */
export function createEntry(
  { conversationId, source }: Pick<ConversationWrite, "conversationId" | "source">,
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

/** In milliseconds, like `Date.now()`. */
export const expiryTime = ({ ttlSeconds, lastActivity }: Entry): number =>
  ttlSeconds === undefined ? Number.POSITIVE_INFINITY : lastActivity.getTime() + ttlSeconds * 1_000;

export const isExpired = (entry: Entry, now: number): boolean => now >= expiryTime(entry);

const conflict = (reason: Extract<WriteOutcome, { status: "conflict" }>["reason"]): WriteOutcome => ({
  status: "conflict",
  reason,
});

/** Why the write is refused, or that it was done before; `undefined`: do it. */
export function decideWrite(
  entry: Entry | undefined,
  write: ConversationWrite,
  tombstones: () => Tombstones,
): WriteOutcome | undefined {
  if (entry?.userId !== undefined && write.userId !== undefined && entry.userId !== write.userId) {
    return conflict("owner");
  }
  const known = write.idempotency && entry?.keys.get(write.idempotency.key);
  if (known !== undefined) {
    return known.bodyHash === write.idempotency?.bodyHash
      ? { status: "replayed" }
      : conflict("idempotency-key");
  }
  if (!isExpectedIncarnation(entry, write, tombstones)) return conflict("incarnation");
  const { expectedVersion, expectedMetadataVersion } = write;
  const version = entry?.version ?? 0;
  if (expectedVersion !== undefined && expectedVersion !== version) {
    return { status: "conflict", reason: "version", actualVersion: version };
  }
  const metadataVersion = entry?.metadataVersion ?? 0;
  if (expectedMetadataVersion !== undefined && expectedMetadataVersion !== metadataVersion) {
    return { status: "conflict", reason: "metadata-version", actualVersion: metadataVersion };
  }
  if (entry === undefined && write.create === undefined) return { status: "missing" };
  if ((write.dropLast ?? 0) > (entry?.messages.length ?? 0)) return conflict("length");
  return hasOtherContent(entry, write) ? conflict("message-id") : undefined;
}

function isExpectedIncarnation(
  entry: Entry | undefined,
  { expectedIncarnation }: ConversationWrite,
  tombstones: () => Tombstones,
): boolean {
  if (expectedIncarnation === undefined) return true;
  if ("present" in expectedIncarnation) return entry?.incarnation === expectedIncarnation.present;
  return entry === undefined && !isErasedSince(expectedIncarnation.absent, tombstones());
}

/** What stays in front of the batch ends at this position. */
const cutOf = ({ nextPosition }: Entry, { mode, dropLast = 0 }: ConversationWrite): number =>
  mode === "replace" ? 0 : nextPosition - dropLast;

function hasOtherContent(entry: Entry | undefined, write: ConversationWrite): boolean {
  const hashes = new Map<string, string>();
  for (const { own } of write.messages) {
    if (own === undefined) continue;
    const stored = entry?.ownIds.get(own.id);
    const stays = stored !== undefined && entry !== undefined && stored.position < cutOf(entry, write);
    const known = hashes.get(own.id) ?? (stays ? stored.hash : undefined);
    if (known !== undefined && known !== own.hash) return true;
    hashes.set(own.id, own.hash);
  }
  return false;
}

interface Applying {
  readonly now: Date;
  /** The tighter of the write's and the provider's limit. */
  readonly maxMessages: number;
  readonly keepBody: KeepBody;
}

/** Does a write that `decideWrite` allows. */
export function applyWrite(
  entry: Entry,
  write: ConversationWrite,
  { now, maxMessages, keepBody }: Applying,
): void {
  const { mode, dropLast = 0, source } = write;
  const isReplace = mode === "replace";
  if (isReplace) entry.metadata = {};
  const dropped = isReplace ? entry.messages.length : dropLast;
  if (isReplace) entry.base = digestOf(entry);
  drop(entry, entry.messages.length - dropped, dropped);
  // Positions of what is replaced as a whole are not used again, those of a dropped end are.
  if (!isReplace) entry.nextPosition -= dropLast;
  const added = add(entry, write, keepBody);
  const trimmed = trimStart(entry.messages, maxMessages, ({ isToolResult }) => isToolResult);
  entry.base = entry.messages[trimmed - 1]?.digest ?? entry.base;
  drop(entry, 0, trimmed);
  if (write.traceId !== undefined) entry.traceIds.add(write.traceId);
  entry.userId ??= write.userId;
  entry.metadata = { ...entry.metadata, ...write.metadata };
  const isChange = isReplace || entry.version === 0 || dropped + added + trimmed > 0;
  entry.version = source?.version ?? entry.version + (isChange ? 1 : 0);
  const isMetadataChange = isReplace || Object.keys(write.metadata).length > 0;
  entry.metadataVersion = source?.metadataVersion ?? entry.metadataVersion + (isMetadataChange ? 1 : 0);
  entry.lastActivity = source?.lastActivity ?? now;
  entry.ttlSeconds = write.ttlSeconds ?? entry.ttlSeconds;
  entry.writes += 1;
  recordKey(entry, write);
}

/** Of all that is stored and was. */
export const digestOf = ({ messages, base }: Entry): string => messages.at(-1)?.digest ?? base;

function drop({ messages, ownIds }: Entry, from: number, count: number): void {
  for (const { own } of messages.splice(from, count)) if (own !== undefined) ownIds.delete(own.id);
}

/** Returns how many messages were added: those that are stored under their own ids are skipped. */
function add(entry: Entry, { messages }: ConversationWrite, keepBody: KeepBody): number {
  let added = 0;
  let digest = digestOf(entry);
  for (const [index, { body, isToolResult, own }] of messages.entries()) {
    if (own !== undefined) {
      if (entry.ownIds.has(own.id)) continue;
      entry.ownIds.set(own.id, { hash: own.hash, position: entry.nextPosition });
    }
    digest = nextDigest(DIGESTS, digest, messageHash(body));
    entry.messages.push({ stored: keepBody(body, index), digest, isToolResult, own });
    entry.nextPosition += 1;
    added += 1;
  }
  return added;
}

function recordKey({ keys, writes, nextPosition }: Entry, { idempotency }: ConversationWrite): void {
  if (idempotency !== undefined) {
    keys.set(idempotency.key, { bodyHash: idempotency.bodyHash, write: writes, nextPosition });
  }
  for (const [key, known] of keys) {
    if (known.write >= writes - IDEMPOTENCY_WINDOW) break;
    keys.delete(key);
  }
}

const boundsOf = ({ messages, nextPosition, ownIds }: Entry, selection: StoredSelection) =>
  selectedBounds(selection, {
    totalMessages: messages.length,
    nextPosition,
    positionOf: (messageId) => ownIds.get(messageId)?.position,
  });

const NO_MESSAGES = { kind: "none" } as const;
const ALL_MESSAGES = { kind: "all" } as const;

function toStored(entry: Entry, selection: StoredSelection): StoredConversation {
  const { conversationId, userId, metadata, createdAt, lastActivity, messages } = entry;
  const { version, metadataVersion, nextPosition, incarnation } = entry;
  return {
    conversationId,
    ...present({ userId }),
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

/** What a read gives of a conversation that is there. */
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

/** Those of all conversations that a query asks for, in its order. */
export function selectConversations<T extends Listed>(
  conversations: readonly T[],
  query: ConversationQuery,
): readonly T[] {
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
  // The epoch stands for a time that isn't known.
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
